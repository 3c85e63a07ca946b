export { FliptClient } from './flipt-client.js';
export { FliptServiceError, type FliptServiceErrorFacts, type GrpcCode } from './service-error.js';
export type { AuthOptions, KubernetesLoginOptions } from '../options/auth-options.js';
export type { ConnectionOptions, Logger } from '../options/connection-options.js';
export type {
  HttpDispatcher,
  HttpDispatcherRequest,
  HttpDispatcherResponse,
  HttpOptions,
  TlsOptions,
} from '../options/http-options.js';
export type * from './operations/call-options.js';
export type * from './operations/evaluation.js';
export type * from './operations/rules.js';
export type * from './operations/segments.js';
export type * from './operations/tokens.js';
export type * from './operations/variants.js';
