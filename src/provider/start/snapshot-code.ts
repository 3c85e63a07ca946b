/* What a provider with snapshots loads when it starts. */

export { ageLog, logWatch } from '../../diagnostics/watch-log.js';
export { openSnapshots } from '../../snapshot/open-snapshots.js';
export { inProcess } from '../resolve-in-process.js';
export { optionAdvice } from './option-advice.js';
