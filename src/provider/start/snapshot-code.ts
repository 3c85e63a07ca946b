/* What a provider with snapshots loads when it starts. */

export { ageLog, logWatch } from '../../diagnostics/watch-log.js';
export { openSnapshotSource } from '../../snapshot/snapshot-source.js';
export { inProcess } from '../resolve-in-process.js';
export { optionAdvice } from './option-advice.js';
