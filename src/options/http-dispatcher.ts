/**
 * The method of an undici dispatcher that this package uses. Dispatchers of every major version of undici have this
 * method.
 */
export interface HttpDispatcher {
  /**
   * Sends one request, and rejects if no response comes. For an evaluation, the package waits at most `http.timeoutMs`
   * for the response.
   */
  request(options: HttpDispatcherRequest): Promise<HttpDispatcherResponse>;
}

/** A request that a dispatcher is to send. */
export interface HttpDispatcherRequest {
  /** The scheme, host and port of the option `url`, without a slash at the end. */
  readonly origin: string;
  /** The path of the option `url`, followed by the path and the query of the request. */
  readonly path: string;
  /**
   * The HTTP method. The provider evaluates flags with POST, and watches for changes with GET. The typed client uses
   * all three methods.
   */
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The headers of the request, with names in lower case. The headers include the credentials, if there are any. */
  readonly headers: Record<string, string>;
  /** The body of the request as JSON text, or `null` if the request has no body. */
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
   * The headers of the response. The package reads only `content-type`, `content-encoding`, `content-length`, `etag`,
   * `location` and `retry-after`. Your dispatcher can return the names of headers in lower case or in capitals.
   */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /**
   * The body of the response, in the pieces in which the body arrives. The package refuses a snapshot of more than 64
   * MB, and any other body of more than 16 MB, except for the stream of changes (`watch.stream`), which has no end.
   */
  readonly body: AsyncIterable<Uint8Array>;
}
