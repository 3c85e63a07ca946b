import type { GenericSchema } from 'valibot';

/** The last argument of every operation. */
export interface CallOptions {
  /** Ends the operation: it rejects with the signal's reason, as `fetch` does. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** One operation of the service, ready to be sent. */
export interface ClientOperation<Answer> {
  /** The client's name for it: `segments.get`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Default: only a GET. A change is sent only once: if it fails, nobody knows whether it was made. */
  readonly repeatable?: boolean;
  readonly answer: GenericSchema<unknown, Answer>;
  /**
   * Which services have the operation. This ends the message about a service that does not have it. Default: Flipt v1.
   */
  readonly offered?: string;
}

/** Rejects with a `FliptServiceError`, or with the signal's reason. */
export type Call = <Answer>(operation: ClientOperation<Answer>, options?: CallOptions) => Promise<Answer>;
