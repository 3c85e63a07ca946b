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
export { openRequestView, REQUEST_VIEW, type RequestView } from './view.js';
