import type { GenericSchema } from 'valibot';
import type { CallOptions } from './operations/call-options.js';

/** Describes one operation of Flipt's REST interface, such as `segments.get`. */
export interface ClientOperation<Answer> {
  /** The operation's name in the client, such as `segments.get`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path of the operation. Each request fills in the placeholders of the path, such as `{key}`. */
  readonly path: string;
  /**
   * Whether the client sends a failed request again. Default: `true` for GET only. The client sends a request that
   * changes something only once, because after a failure nobody knows whether Flipt has made the change.
   */
  readonly repeatable?: boolean;
  readonly answer: GenericSchema<unknown, Answer>;
  /**
   * Says which versions of Flipt offer the operation. If a Flipt does not offer the operation, the error message ends
   * with this text. Default: a text that says that only Flipt v1 offers the operation.
   */
  readonly offered?: string;
}

/** What one call of an operation sends. */
export interface ClientRequest {
  readonly parts?: Readonly<Record<string, string>>;
  /** The members of the query. The client does not send a member that is `undefined`. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the request, which the client sends as JSON. */
  readonly body?: object;
}

/**
 * Calls an operation, and resolves with Flipt's answer. If the call fails, the promise rejects with a
 * `FliptServiceError`. If the caller's signal is aborted, the promise rejects with the signal's reason. If a key or an
 * id cannot be a part of the path, the promise rejects with a TypeError.
 */
export type Call = <Answer>(
  operation: ClientOperation<Answer>,
  request: ClientRequest,
  options?: CallOptions,
) => Promise<Answer>;
