import { throwUnloadable } from '../mapping/openfeature-errors.js';

/**
 * Loads the code that the first answer does not need. It is called when the provider has started, so that later calls load no file. `asker`
 * begins the message of the error.
 */
export const loadAfterStart = (asker: string) => import('./after-start.js').catch(throwUnloadable(asker));
