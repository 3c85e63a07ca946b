import type { GenericSchema } from 'valibot';

/** What every operation takes as its last argument. */
export interface CallOptions {
  /** Ends the operation: it rejects with the signal's reason, as `fetch` does. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** One operation of the service, ready to be sent. */
export interface Operation<Answer> {
  /** As a caller writes it: `segments.get`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Reading and evaluating are. A change is sent once: after a failure nobody can tell whether it was made. */
  readonly repeatable: boolean;
  readonly answer: GenericSchema<unknown, Answer>;
  /** Which services offer it, in a sentence for those who have asked another one. */
  readonly offered: string;
}

/** Rejects with a `FliptServiceError`, or with the signal's reason. */
export type Call = <Answer>(operation: Operation<Answer>, options?: CallOptions) => Promise<Answer>;

export const OFFERED_BY_ALL = 'Every Flipt offers it: check the path in the option url.';
export const OFFERED_BY_V1 = 'Flipt v1 offers it; Flipt v2 serves evaluation only.';
export const OFFERED_WITH_TOKENS =
  'Flipt v1 offers it where its token authentication is enabled; Flipt v2 serves evaluation only.';
