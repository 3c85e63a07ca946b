import { outsideRequests } from '../../time/outside-requests.js';
import { throwUnloadable } from '../mapping/openfeature-errors.js';
import type * as LaterCode from './later-code.js';

let code: typeof LaterCode | undefined;
let loading: Promise<typeof LaterCode> | undefined;

/**
 * Loads the code that the first answer does not need. A start begins it, so that later calls find it loaded: at once,
 * because when the start ends, a test that left it may have ended, and Jest fails for a file loaded then. The start does
 * not wait for it. `asker` begins the message of the error.
 */
export async function loadLaterCode(asker: string): Promise<typeof LaterCode> {
  if (code !== undefined) return code;
  // Before Node 24, the promises of a load would keep the AsyncLocalStorage of the request that began it.
  loading = outsideRequests(() => import('./later-code.js').catch(throwUnloadable(asker)));
  return (code = await loading);
}

/** Resolves when no load is under way. Never rejects. */
export async function laterCodeLoaded(): Promise<void> {
  await loading?.catch(() => undefined);
}
