import type { Evaluator } from '../../engine/evaluate.js';
import type { Semantics } from '../../engine/features.js';
import type { Caller } from './authentication.js';
import type { Stamp } from '../state/records.js';
import type { Store } from '../state/state-store.js';

/** What every operation works with. */
export interface Service {
  readonly store: Store;
  readonly semantics: Semantics;
  readonly evaluate: Evaluator;
  readonly stamp: Stamp;
}

/** A request that has found its route and whose sender is known. */
export interface Call {
  /** A part of the path, decoded; `''` where the route has none of that name. */
  readonly path: (name: string) => string;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  readonly caller: Caller;
}

/** Answers with the body of a 200, or throws what the request is refused with. */
export type Operation = (service: Service, call: Call) => unknown;
