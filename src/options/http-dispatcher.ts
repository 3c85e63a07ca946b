/** The part of an undici dispatcher that this package uses. Dispatchers of every major version of undici have it. */
export interface HttpDispatcher {
  /**
   * Sends one request. Rejects if no response comes. For an evaluation, the package waits for at most `http.timeoutMs`.
   */
  request(options: HttpDispatcherRequest): Promise<HttpDispatcherResponse>;
}

/** A request that a dispatcher is to send. */
export interface HttpDispatcherRequest {
  /** The scheme, host and port of `url`, without a slash at the end. */
  readonly origin: string;
  /** The path of `url`, followed by the path and the query of the operation. */
  readonly path: string;
  /**
   * The HTTP method. The provider evaluates flags with POST and watches for changes with GET; the typed client uses all
   * three methods.
   */
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The headers, with names in lower case. The headers include the credentials. */
  readonly headers: Record<string, string>;
  /** The body as JSON text. It is `null` if the request has no body. */
  readonly body: string | null;
  /** A signal that is aborted when the attempt takes too long, or when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

/**
 * The response of a dispatcher. The package reads the body of the response to its end, or abandons it by aborting the
 * `signal` of the request.
 */
export interface HttpDispatcherResponse {
  /** The HTTP status. The package does not follow redirects. */
  readonly statusCode: number;
  /**
   * The headers. The package reads only `content-type`, `content-encoding`, `etag`, `location` and `retry-after`. The
   * names of headers can be in capital letters.
   */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * The body, in the pieces in which it arrives. The package refuses a snapshot of more than 64 MB, and any other body
   * of more than 16 MB.
   */
  readonly body: AsyncIterable<Uint8Array>;
}
