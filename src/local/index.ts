export { startLocalService, type LocalService } from './service.js';
export type { LocalServiceOptions } from './options.js';
export { FeaturesError, type FeaturesSource } from './features-file.js';
export { DataFileError } from './data-file.js';
export type * from './features-document.js';
export type { Semantics } from '../engine/features.js';
