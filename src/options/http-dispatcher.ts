/** The part of an undici dispatcher that is used; any major version has it. */
export interface HttpDispatcher {
  /** Sends one request; rejects if there is no answer. Nobody waits longer than `http.timeoutMs` for an evaluation. */
  request(options: HttpDispatcherRequest): Promise<HttpDispatcherResponse>;
}

/** A request for a dispatcher to send. */
export interface HttpDispatcherRequest {
  /** Scheme, host and port of `url`, without a slash at its end. */
  readonly origin: string;
  /** The path of `url`, then the operation's path and query. */
  readonly path: string;
  /** The provider sends POST, and GET for its watch; the typed client sends all of them. */
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Names in lower case. Credentials are among them. */
  readonly headers: Record<string, string>;
  /** JSON text; `null` if there is none. */
  readonly body: string | null;
  /** Aborted when the attempt takes too long, or when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/** A dispatcher's response. Its body is read to the end, or abandoned through `signal`. */
export interface HttpDispatcherResponse {
  /** The HTTP status. A redirect is not followed. */
  readonly statusCode: number;
  /** Names in lower case; only `content-type`, `content-encoding`, `etag`, `location` and `retry-after` are read. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrives; more than 16 MB is refused, of a snapshot more than 64 MB. */
  readonly body: AsyncIterable<Uint8Array>;
}
