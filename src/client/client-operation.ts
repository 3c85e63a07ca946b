import type { GenericSchema } from 'valibot';
import type { CallOptions } from './operations/call-options.js';

/** One operation of the service. */
export interface ClientOperation<Answer> {
  /** The operation's name in the client, such as `segments.get`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The path of the operation, with `{name}` in place of each part that a request fills in. */
  readonly path: string;
  /**
   * Whether a failed request is sent again. Default: only a GET is sent again. A request that changes something is sent
   * only once, because after a failure nobody knows whether Flipt has made the change.
   */
  readonly repeatable?: boolean;
  readonly answer: GenericSchema<unknown, Answer>;
  /**
   * The words that tell which versions of Flipt offer the operation. The message about a Flipt that does not offer the
   * operation ends with these words. Default: words that name Flipt v1.
   */
  readonly offered?: string;
}

/** What a request adds to its operation. */
export interface ClientRequest {
  readonly parts?: Readonly<Record<string, string>>;
  /** The members of the query. A member that is `undefined` is not sent. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, which is sent as JSON. */
  readonly body?: object;
}

/**
 * Sends a request and resolves with the answer. Rejects with a `FliptServiceError`, with the reason of the caller's
 * signal, or with a TypeError if a part of the path cannot be sent.
 */
export type Call = <Answer>(
  operation: ClientOperation<Answer>,
  request: ClientRequest,
  options?: CallOptions,
) => Promise<Answer>;
