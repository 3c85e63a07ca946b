/* What a provider loads beside its start: its first answer needs none of it. */

export { culpritSearches } from '../../batch/search/culprit-searches.js';
export { evaluateAll } from '../evaluate/evaluate-all.js';
export { evaluateEach } from '../evaluate/evaluate-each.js';
export { explain } from '../evaluate/explain-from-snapshot.js';
