export { observeProvider, type ObserveOptions, type ObservedProvider } from './observe-provider.js';
