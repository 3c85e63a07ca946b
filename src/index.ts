export { FliptProvider } from './provider.js';
export type {
  AuthOptions,
  BatchOptions,
  BreakerOptions,
  CacheOptions,
  ConnectionOptions,
  FliptProviderOptions,
  HttpDispatcher,
  HttpDispatcherRequest,
  HttpDispatcherResponse,
  HttpOptions,
  Logger,
  TlsOptions,
} from './options.js';
export {
  requestContext,
  runInTransactionContext,
  type Prefetcher,
  type RequestContextOptions,
} from './request-context.js';
export {
  openRequestView,
  REQUEST_VIEW,
  requestView,
  type ClosingResponse,
  type RequestView,
} from './view.js';
