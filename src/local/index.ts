export { startLocalService, type LocalService } from './local-service.js';
export type { LocalServiceOptions, OverrideOptions } from './local-options.js';
export type { OverrideValue } from './state/override-value.js';
export { FeaturesError } from '../features/features-error.js';
export type { FeaturesSource } from '../features/read-features.js';
export { DataFileError } from './state/data-file.js';
export type * from '../features/features-document.js';
export type { Semantics } from '../engine/features.js';
