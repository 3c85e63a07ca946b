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
export type { EvaluateOptions, EvaluationOperations } from './operations/evaluation.js';
export type * from './operations/evaluation-types.js';
export type { CallOptions } from './operations/client-operation.js';
export type { IterateOptions, ListPage, PageOptions } from './list-pages.js';
export type {
  Distribution,
  NewRule,
  NewRuleContent,
  Rule,
  RuleOperations,
  RulePage,
  SegmentOperator,
} from './operations/rules.js';
export type {
  ComparisonType,
  Constraint,
  GetSegmentOptions,
  MatchType,
  NewSegment,
  Segment,
  SegmentOperations,
  SegmentPage,
  SegmentUpdate,
} from './operations/segments.js';
export type {
  Authentication,
  AuthenticationMethod,
  CreatedToken,
  NewToken,
  TokenOperations,
} from './operations/tokens.js';
export type { Variant, VariantOperations, VariantUpdate } from './operations/variants.js';
