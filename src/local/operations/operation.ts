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

/** Returns the parts of the service that the operations use. */
export function serviceCore(store: Store, semantics: Semantics, stamp: Stamp, refused?: string) {
  const loaded: LoadedFeatures = { refused };
  return {
    loaded,
    /** The store of the state that the management operations read and change. This state does not contain overrides. */
    store,
    /** The overrides, and the namespaces with their overrides applied, which evaluation reads. */
    overrides: new FlagOverrides(store, stamp),
    semantics,
    evaluate: evaluator(semantics),
    snapshotOf: snapshotWriter(semantics),
    stamp,
  };
}

/** The facts about the features that were loaded last. */
export interface LoadedFeatures {
  /** A message about what Flipt would refuse in the features. It is `undefined` if Flipt would refuse nothing. */
  refused: string | undefined;
}

/** The decoded parts of a path by their names, such as `flagKey`. A part that the route does not have is `''`. */
export type PathParts = typeof NO_PARTS;

export const NO_PARTS = { namespaceKey: '', flagKey: '', key: '', id: '', file: '' };

/** What the sender of a request may access. */
export interface Caller {
  /**
   * The only namespace that the sender can use. It is `undefined` if the sender can use all namespaces, and can manage
   * tokens.
   */
  readonly namespaceKey: string | undefined;
}

/** A request whose route and sender are known. */
export interface RoutedRequest {
  readonly path: PathParts;
  readonly query: Query;
  readonly header: (name: string) => string | undefined;
  readonly message: Message;
  /** The body as the client sent it. The body of a GET is `''`. */
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
  /** A snapshot, which the client can keep together with its ETag. */
  | { readonly document: SnapshotDocument }
  /** A text, which is JSON unless `headers` has another Content-Type. */
  | { readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  /** Events, which are sent until the client disconnects. */
  | { readonly events: Followed };

/** A source of events. Only its latest event counts, so earlier events can be skipped. */
export interface Followed {
  /** The Content-Type of the stream. */
  readonly type: string;
  /** The version that the client already has. It is `undefined` if the client has no version. */
  readonly known: string | undefined;
  /** Returns the version of the latest event, or `undefined` while there is no event. */
  readonly latest: () => string | undefined;
  /** Returns the text of the latest event in the form in which the text is sent. */
  readonly textOf: (version: string) => string;
  /** Calls `changed` whenever there might be a new event. Returns a function that stops the calls. */
  readonly onChange: (changed: () => void) => () => void;
}

/** Throws a 404 for every environment except the default one, in versions of Flipt that have environments. */
export function checkEnvironment(semantics: Semantics, name = ''): void {
  if (!hasEnvironments(semantics) || name === '' || name === 'default') return;
  const quoted = JSON.stringify(name);
  throw notFound(`failed to get environment ${quoted} from context: environment: ${quoted} not found`);
}
