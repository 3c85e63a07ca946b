export { observeProvider } from './observe-provider.js';
export type { ObserveOptions, ObservedProvider } from './observe-options.js';
