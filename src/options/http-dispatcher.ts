/** What is used of an undici dispatcher; every major version of undici has it. */
export interface HttpDispatcher {
  /** Must reject if no response comes. For an evaluation, the package waits for 3 s, in which it may connect, and `http.timeoutMs`. */
  request(options: HttpDispatcherRequest): Promise<HttpDispatcherResponse>;
}

export interface HttpDispatcherRequest {
  /** Of the option `url`, without a slash at the end. */
  readonly origin: string;
  /** The path of the option `url`, then that of the request with its query. */
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** With names in lower case. They include the credentials. */
  readonly headers: Record<string, string>;
  /** JSON text. */
  readonly body: string | null;
  /** Aborted when the attempt takes too long, or when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Its body is read to the end, or abandoned by aborting the `signal` of the request. */
export interface HttpDispatcherResponse {
  /** Redirects are not followed. */
  readonly statusCode: number;
  /** With names in any letter case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** At most 64 MB of a snapshot, and 16 MB of anything else but the stream, which has no end. */
  readonly body: AsyncIterable<Uint8Array>;
}
