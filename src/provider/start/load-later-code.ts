import { outsideRequests } from '../../time/outside-requests.js';
import { throwUnloadable } from '../mapping/openfeature-errors.js';
import type * as LaterCode from './later-code.js';

let code: typeof LaterCode | undefined;

/**
 * Loads the code that the first answer does not need. A start begins it, so that later calls find it loaded. `asker`
 * begins the message of the error.
 */
export async function loadLaterCode(asker: string): Promise<typeof LaterCode> {
  // Before Node 24, the promises of a load would keep the AsyncLocalStorage of the request that began it.
  code ??= await outsideRequests(() => import('./later-code.js').catch(throwUnloadable(asker)));
  return code;
}
