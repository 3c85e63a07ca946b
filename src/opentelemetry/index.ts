export { observeProvider } from './observe-provider.js';
export type { ObserveOptions, ObservedProvider } from './observe-provider.js';
