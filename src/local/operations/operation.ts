import type { Evaluator } from '../../engine/evaluate.js';
import type { Semantics } from '../../engine/features.js';
import type { Caller } from './authentication.js';
import type { Stamp } from '../state/records.js';
import type { Store } from '../state/state-store.js';

/** What every operation works with. */
export interface ServiceCore {
  readonly store: Store;
  readonly semantics: Semantics;
  readonly evaluate: Evaluator;
  readonly stamp: Stamp;
}

/** A request whose route and sender are known. */
export interface RoutedRequest {
  /** A part of the path, decoded; `''` where the route has none of that name. */
  readonly path: (name: string) => string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  readonly caller: Caller;
}

/** Returns the answer's body, or throws a refusal. */
export type Operation = (service: ServiceCore, request: RoutedRequest) => unknown;
