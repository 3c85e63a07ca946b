import { evaluator } from '../../engine/compiled-features.js';
import type { Semantics } from '../../engine/features.js';
import { hasEnvironments } from '../../engine/version-differences.js';
import type { Message } from '../parsing/proto-message.js';
import type { Query } from '../parsing/query.js';
import { snapshotWriter, type SnapshotDocument } from '../snapshot-document.js';
import type { Stamp } from '../../features/records.js';
import { FlagOverrides } from '../state/flag-overrides.js';
import type { Store } from '../state/state-store.js';
import { notFound } from '../parsing/refused-request.js';

export type ServiceCore = Readonly<ReturnType<typeof serviceCore>>;

/** The parts of the service that operations use. */
export function serviceCore(store: Store, semantics: Semantics, stamp: Stamp, refused?: string) {
  const loaded: LoadedFeatures = { refused };
  return {
    loaded,
    /** The state that the management operations read and change, without overrides. */
    store,
    /** The state that is evaluated, with overrides. */
    overrides: new FlagOverrides(store, stamp),
    semantics,
    evaluate: evaluator(semantics),
    snapshotOf: snapshotWriter(semantics),
    stamp,
  };
}

/** What is known about the features that were loaded last. */
export interface LoadedFeatures {
  /** A message about what Flipt would refuse in them; `undefined` if it would refuse nothing. */
  refused: string | undefined;
}

/** The decoded parts of a path that have names; `''` for a part that the route does not have. */
export type PathParts = typeof NO_PARTS;

export const NO_PARTS = { namespaceKey: '', flagKey: '', key: '', id: '', file: '' };

/** What the sender of a request may access. */
export interface Caller {
  /** The only namespace that the sender may use; `undefined` for all namespaces and the tokens. */
  readonly namespaceKey: string | undefined;
}

/** A request whose route and sender are known. */
export interface RoutedRequest {
  readonly path: PathParts;
  readonly query: Query;
  readonly header: (name: string) => string | undefined;
  readonly message: Message;
  /** The body as it was sent; `''` for a GET. */
  readonly text: string;
  readonly caller: Caller;
}

/** Answers a request, or throws a `Refusal`. */
export type Operation = (
  service: ServiceCore,
  request: RoutedRequest,
) => OperationResult | Promise<OperationResult>;

export type OperationResult =
  | { readonly json: unknown }
  /** A snapshot, which the client may keep. */
  | { readonly document: SnapshotDocument }
  /** A text, which is JSON unless its headers say otherwise. */
  | { readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  /** Events that a client may follow. */
  | { readonly events: Followed };

/** A source of events of which only the latest counts. */
export interface Followed {
  /** The Content-Type of the stream. */
  readonly type: string;
  /** The version that the client already has; `undefined` if it has none. */
  readonly known: string | undefined;
  /** The version of the latest event; `undefined` while there is none. */
  readonly latest: () => string | undefined;
  /** The text of the latest event, as it is sent. */
  readonly textOf: (version: string) => string;
  /** Calls `changed` whenever there may be a new event. Returns a function that stops the calls. */
  readonly onChange: (changed: () => void) => () => void;
}

/** Throws a 404 for every environment except the default one, in versions of Flipt that have environments. */
export function checkEnvironment(semantics: Semantics, name = ''): void {
  if (!hasEnvironments(semantics) || name === '' || name === 'default') return;
  const quoted = JSON.stringify(name);
  throw notFound(`failed to get environment ${quoted} from context: environment: ${quoted} not found`);
}
