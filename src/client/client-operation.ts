import type { GenericSchema } from 'valibot';
import type { CallOptions } from './operations/call-options.js';

/** One operation of the service. */
export interface ClientOperation<Answer> {
  /** The client's name for it: `segments.get`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With a `{name}` for each part that a request fills in. */
  readonly path: string;
  /** Default: only a GET. A change is sent only once: if it fails, nobody knows whether it was made. */
  readonly repeatable?: boolean;
  readonly answer: GenericSchema<unknown, Answer>;
  /**
   * Which services have the operation. This ends the message about a service that does not have it. Default: Flipt v1.
   */
  readonly offered?: string;
}

/** What a request adds to its operation. */
export interface ClientRequest {
  readonly parts?: Readonly<Record<string, string>>;
  /** What is `undefined` is left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
}

/** Rejects with a `FliptServiceError`, or with the signal's reason. A part that cannot be sent is a TypeError. */
export type Call = <Answer>(
  operation: ClientOperation<Answer>,
  request: ClientRequest,
  options?: CallOptions,
) => Promise<Answer>;
