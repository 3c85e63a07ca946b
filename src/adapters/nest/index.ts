export { FliptModule, InjectFlipt } from './flipt.module.js';
export type { FliptModuleAsyncOptions, FliptModuleOptions } from './module-options.js';
export { RequireFlag, type RequireFlagOptions } from './require-flag.js';
export { contextFactory, setRequestContext } from './request-state.js';
