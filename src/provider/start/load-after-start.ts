import { outsideRequests } from '../../time/outside-requests.js';
import { throwUnloadable } from '../mapping/openfeature-errors.js';
import type * as AfterStart from './after-start.js';

let code: typeof AfterStart | undefined;

/**
 * Loads the code that the first answer does not need. A start begins it, so that later calls find it loaded. `asker`
 * begins the message of the error.
 */
export async function loadAfterStart(asker: string): Promise<typeof AfterStart> {
  // Before Node 24, the promises of a load would keep the AsyncLocalStorage of the request that began it.
  code ??= await outsideRequests(() => import('./after-start.js').catch(throwUnloadable(asker)));
  return code;
}
