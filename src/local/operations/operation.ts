import { evaluator } from '../../engine/compile.js';
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

/** Creates the parts of the service that its operations use, such as the store and the evaluation. */
export function serviceCore(store: Store, semantics: Semantics, stamp: Stamp) {
  return {
    /**
     * The store contains the state that the management operations read and change. The state in the store does not
     * contain overrides.
     */
    store,
    /**
     * The values that tests, or users of the web page, have set for flags ("overrides"). Evaluation reads the
     * namespaces with all overrides applied.
     */
    overrides: new FlagOverrides(store, stamp),
    semantics,
    evaluate: evaluator(semantics),
    snapshotOf: snapshotWriter(semantics),
    stamp,
  };
}

/**
 * The variable parts of a request's path, decoded, by their names, such as `flagKey`. A part that the route does not
 * have is `''`.
 */
export type PathParts = typeof NO_PARTS;

export const NO_PARTS = { namespaceKey: '', flagKey: '', key: '', id: '', file: '' };

/** What the sender of a request can access. */
export interface Caller {
  /**
   * The only namespace that the sender can use, or `''` if the sender can use no namespace. The member is `undefined`
   * if the sender can use all namespaces and can manage tokens.
   */
  readonly namespaceKey: string | undefined;
}

/** A request for which the service has already found the route and authenticated the sender. */
export interface RoutedRequest {
  readonly path: PathParts;
  readonly query: Query;
  readonly header: (name: string) => string | undefined;
  readonly message: Message;
  /** The body of the request as the client sent it. For a GET request, the body is `''`. */
  readonly text: string;
  readonly caller: Caller;
}

/** An operation of the service: it answers a request, or throws an error, such as a `Refusal`. */
export type Operation = (
  service: ServiceCore,
  request: RoutedRequest,
) => OperationResult | Promise<OperationResult>;

export type OperationResult =
  | { readonly json: unknown }
  /** A snapshot, which the service sends together with its ETag. */
  | { readonly document: SnapshotDocument }
  /** A text. The text is JSON if `headers` has no other Content-Type. */
  | { readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  /** A stream of events, which the service sends until the client disconnects or the service closes. */
  | { readonly events: Followed };

/** A source of events. Only the latest event matters to clients, so the service can skip earlier events. */
export interface Followed {
  /** The Content-Type of the stream. */
  readonly type: string;
  /** The version of the event that the client already has, or `undefined` if the client has none. */
  readonly known: string | undefined;
  /** Returns the version of the latest event, or `undefined` while there is no event. */
  readonly latest: () => string | undefined;
  /** Returns the text of the latest event, as the service sends it to the client. */
  readonly textOf: (version: string) => string;
  /**
   * Calls `changed` each time that there might be a new event. Returns a function that stops the calls of `changed`.
   */
  readonly onChange: (changed: () => void) => () => void;
}

/**
 * Throws an error that the client gets as a 404 if the environment is not the default one. If the service answers as
 * Flipt v1, the function accepts every name, because Flipt v1 has no environments.
 */
export function checkEnvironment(semantics: Semantics, name = ''): void {
  if (!hasEnvironments(semantics) || name === '' || name === 'default') return;
  const quoted = JSON.stringify(name);
  throw notFound(`failed to get environment ${quoted} from context: environment: ${quoted} not found`);
}
