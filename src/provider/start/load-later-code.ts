import { loadedOnFirstUse } from '../../time/background-work.js';
import { throwUnloadable } from '../mapping/openfeature-errors.js';

// Before Node 24, the promises of a load would keep the AsyncLocalStorage of the request that began it.
const code = loadedOnFirstUse(() => import('./later-code.js'));

/**
 * Loads the code that the first answer does not need. A start begins the load, so that later calls find the code there,
 * and does not wait for it. It begins at once: after the start, a test may end, and Jest fails for a file loaded then.
 * `asker` begins the message of the error.
 */
export function loadLaterCode(asker: string) {
  return code.use().catch(throwUnloadable(asker));
}

/** Resolves when no load is under way. Never rejects. */
export async function laterCodeLoaded(): Promise<void> {
  await code.current()?.catch(() => undefined);
}
