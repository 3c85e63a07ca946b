import type { Evaluator } from '../engine/compile.js';
import type { Semantics } from '../engine/features.js';
import type { NamespaceRecord } from '../features/normalize.js';
import type { Overrides } from './overrides.js';
import { Refusal } from './request.js';
import type { Store } from './store.js';

export interface Service {
  readonly semantics: Semantics;
  readonly store: Store;
  readonly overrides: Overrides;
  readonly evaluate: Evaluator;
  readonly snapshots: WeakMap<NamespaceRecord, Snapshot>;
  /** What Flipt would refuse in the features that were loaded last; `''` if nothing. */
  readonly refused: string;
}

export interface Snapshot {
  readonly etag: string;
  readonly text: string;
}

export interface Request {
  readonly path: PathParts;
  readonly query: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  /** Of the body; `''` for a GET request. */
  readonly text: string;
  /** `undefined` on an open route, if the request has no valid token. */
  readonly caller: Caller | undefined;
}

/** `''` for parts that the route does not have. */
export type PathParts = Readonly<typeof NO_PARTS>;
export const NO_PARTS = { namespaceKey: '', flagKey: '', key: '', id: '', file: '' };

export interface Caller {
  /** `undefined` stands for all of them, and for the tokens. */
  readonly namespaceKey: string | undefined;
}

export type Operation = (service: Service, request: Request) => Answer | Promise<Answer>;
export type Answer = TextAnswer | StreamAnswer;

export interface TextAnswer {
  readonly text: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamAnswer {
  readonly contentType: string;
  /** What is new since the last call; `undefined` if nothing is. */
  readonly next: () => string | undefined;
}

export const json = (value: unknown): TextAnswer => ({ text: JSON.stringify(value) });

/** Without a namespace, the caller must be allowed everything. The message helps nobody who guesses tokens. */
export function permit(caller: Caller | undefined, namespaceKey?: string): void {
  if (caller && (caller.namespaceKey === undefined || caller.namespaceKey === namespaceKey)) return;
  throw new Refusal(401, 'request was not authenticated');
}
