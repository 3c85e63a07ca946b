export { startLocalService, type LocalService } from './service.js';
export type { LocalServiceOptions, OverrideOptions } from './options.js';
export type { OverrideValue } from './overrides.js';
export { FeaturesError } from '../features/problem.js';
export type { FeaturesSource } from '../features/read-features.js';
export { DataFileError } from './store.js';
export type * from '../features/document.js';
export type { Semantics } from '../engine/features.js';
