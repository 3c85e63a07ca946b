export { FliptClient } from './flipt-client.js';
export { FliptServiceError, type FliptServiceErrorFacts, type GrpcCode } from './errors.js';
export type {
  AuthOptions,
  ConnectionOptions,
  HttpDispatcher,
  HttpDispatcherRequest,
  HttpDispatcherResponse,
  HttpOptions,
  Logger,
  TlsOptions,
} from './options.js';
export type { EvaluateOptions, EvaluationOperations } from './service/operations/evaluation.js';
export type * from './service/operations/evaluation-types.js';
export type { CallOptions } from './service/operations/operation.js';
export type { IterateOptions, ListPage, PageOptions } from './service/operations/pages.js';
export type {
  Distribution,
  NewRule,
  NewRuleContent,
  Rule,
  RuleOperations,
  RulePage,
  SegmentOperator,
} from './service/operations/rules.js';
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
} from './service/operations/segments.js';
export type {
  Authentication,
  AuthenticationMethod,
  CreatedToken,
  NewToken,
  TokenOperations,
} from './service/operations/tokens.js';
export type { Variant, VariantOperations, VariantUpdate } from './service/operations/variants.js';
