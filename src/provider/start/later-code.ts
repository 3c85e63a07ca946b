/* What a provider loads beside its start: its first answer needs none of it. */

export { culpritSearches } from '../../batch/search/culprit-searches.js';
export { evaluateAll, evaluateEach } from '../evaluate/evaluate-many.js';
export { explainFromSnapshot } from '../evaluate/explain-from-snapshot.js';
