export { startLocalService, type LocalService } from './service.js';
export type { LocalServiceOptions, OverrideOptions } from './options.js';
export type { OverrideValue } from './overrides.js';
export { FeaturesError } from '../features/features-error.js';
export type { FeaturesSource } from '../features/read-features.js';
export { DataFileError } from './store.js';
export type * from '../features/features-document.js';
export type { Semantics } from '../engine/features.js';
