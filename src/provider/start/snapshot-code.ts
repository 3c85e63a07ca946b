/* What a provider with snapshots loads when it starts. */

export { openSnapshotSource } from '../../snapshot/snapshot-source.js';
export { evaluateInstead } from '../evaluate/answer-instead.js';
export { inProcess } from '../resolve-in-process.js';
export { warnOfSnapshots } from './snapshot-warnings.js';
