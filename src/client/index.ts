export { FliptClient } from './flipt-client.js';
export { FliptServiceError, type FliptServiceErrorFacts, type GrpcCode } from './errors.js';
export type { AuthOptions, KubernetesLoginOptions } from '../options/connection-options.js';
export type { ConnectionOptions, Logger } from '../options/connection-options.js';
export type * from '../options/http-dispatcher.js';
export type { HttpOptions, TlsOptions } from '../options/http-options.js';
export type { CallOptions } from './call.js';
export type * from './evaluation-types.js';
export type * from './management-types.js';
