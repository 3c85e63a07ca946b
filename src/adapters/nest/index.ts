export { FliptModule, InjectFlipt } from './module.js';
export type { FliptModuleAsyncOptions, FliptModuleOptions } from './options.js';
export { RequireFlag, type RequireFlagOptions } from './require-flag.js';
export { contextFactory, setRequestContext } from './context.js';
