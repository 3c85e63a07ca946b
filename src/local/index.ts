export { startLocalService, type LocalService, type LocalServiceOptions } from './service.js';
export { FeaturesError, type FeaturesSource } from './features-file.js';
export type * from './features-document.js';
export type { Semantics } from '../engine/features.js';
