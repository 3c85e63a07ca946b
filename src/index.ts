export { FliptProvider } from './provider/provider.js';
export { isFliptProvider } from './provider/is-flipt-provider.js';
export type { EvaluatedFlag, FlagOutcome } from './provider/evaluate/many.js';
export type { RefreshOptions } from './provider/refresh-options.js';
export type { AuthOptions, KubernetesLoginOptions } from './options/connection-options.js';
export type * from './engine/explanation.js';
export type * from './provider/flipt-status.js';
export type * from './model/events/flipt-event.js';
export type { FailureKind } from './model/failure.js';
export type { ConnectionOptions, Logger } from './options/connection-options.js';
export type * from './options/http-dispatcher.js';
export type { HttpOptions, TlsOptions } from './options/http-options.js';
export type {
  BatchOptions,
  BreakerOptions,
  CacheOptions,
  FliptProviderOptions,
} from './options/provider-options.js';
export type { SnapshotOptions } from './options/provider-options.js';
export type { WatchOptions } from './options/provider-options.js';
export type * from './options/snapshot-store.js';
export type {
  ExposureEvent,
  TrackEvent,
  TrackingEvent,
  TrackingEventBase,
  TrackingOptions,
} from './options/tracking-options.js';
export {
  requestContext,
  runInTransactionContext,
  type RequestContextOptions,
} from './provider/per-request/transaction-context.js';
export { openRequestView, REQUEST_VIEW, requestView, type RequestView } from './provider/per-request/view.js';
