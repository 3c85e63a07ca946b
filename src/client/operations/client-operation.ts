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
  /** True for reads and evaluations. A change is sent only once: if it fails, nobody knows whether it was made. */
  readonly repeatable: boolean;
  readonly answer: GenericSchema<unknown, Answer>;
  /** Which services have the operation. This ends the message about a service that does not have it. */
  readonly offered: string;
}

/** Rejects with a `FliptServiceError`, or with the signal's reason. */
export type Call = <Answer>(operation: ClientOperation<Answer>, options?: CallOptions) => Promise<Answer>;

export const OFFERED_BY_ALL = 'Every Flipt offers it: check the path in the option url.';
export const OFFERED_BY_V1 = 'Flipt v1 offers it; Flipt v2 serves evaluation only.';
export const OFFERED_WITH_TOKENS =
  'Flipt v1 offers it where its token authentication is enabled; Flipt v2 serves evaluation only.';
