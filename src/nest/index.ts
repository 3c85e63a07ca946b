export { FliptModule, type FliptModuleAsyncOptions } from './flipt.module.js';
export type { FliptModuleOptions } from './module-options.js';
export { RequireFlag, type RequireFlagOptions } from './require-flag.js';
export { contextFactory, setRequestContext } from './set-request-context.js';
