import type { Evaluator } from '../../engine/evaluate.js';
import type { Semantics } from '../../engine/features.js';
import type { Message } from '../requests/message.js';
import type { Query } from '../requests/query.js';
import type { SnapshotDocument, SnapshotWriter } from '../snapshot/snapshot-document.js';
import type { Stamp } from '../state/records.js';
import type { FlagOverrides } from '../state/flag-overrides.js';
import type { Store } from '../state/state-store.js';
import type { Caller } from './authentication.js';

/** What every operation uses. */
export interface ServiceCore {
  /** The state that is managed, without overrides. */
  readonly store: Store;
  /** The state that is evaluated, with overrides. */
  readonly overrides: FlagOverrides;
  readonly semantics: Semantics;
  readonly evaluate: Evaluator;
  readonly snapshotOf: SnapshotWriter;
  readonly stamp: Stamp;
}

/** A request whose route and sender are known. */
export interface RoutedRequest {
  /** A part of the path, decoded; `''` if the route has none of that name. */
  readonly path: (name: string) => string;
  readonly query: Query;
  readonly header: (name: string) => string | undefined;
  readonly message: Message;
  /** The body as it was sent; `''` for a GET. */
  readonly text: string;
  readonly caller: Caller;
}

/** Returns the answer's body, or throws a refusal. */
export type Operation = (service: ServiceCore, request: RoutedRequest) => unknown;

/** Resolves with the answer's body as JSON text. For answers that take several turns of the event loop to write. */
export type TextOperation = (service: ServiceCore, request: RoutedRequest) => Promise<string>;

/** Returns a document that a client may keep, or throws a refusal. */
export type DocumentOperation = (service: ServiceCore, request: RoutedRequest) => SnapshotDocument;

/** Resolves with a file of the page, or rejects with a refusal. */
export type AssetOperation = (service: ServiceCore, request: RoutedRequest) => Promise<PageAsset>;

/** A file for the browser. */
export interface PageAsset {
  readonly type: string;
  readonly text: string;
}

/** Returns the events that a client may follow, or throws a refusal. */
export type EventOperation = (service: ServiceCore, request: RoutedRequest) => Followed;

/** A source of events of which only the latest counts. */
export interface Followed {
  /** The type of the content. */
  readonly type: string;
  /** The version that the client already has; `undefined` if it has none. */
  readonly known: string | undefined;
  /** The version of the latest event; undefined while there is none. */
  readonly latest: () => string | undefined;
  /** The latest event as it is sent. */
  readonly textOf: (version: string) => string;
  /** Calls `changed` whenever there may be a new event. Returns a function that stops the calls. */
  readonly onChange: (changed: () => void) => () => void;
}
