/** Where messages about what happens in the background go. OpenFeature's own loggers fit. */
export interface Logger {
  /** For what cannot be gone on from: nothing at present. */
  error(...args: unknown[]): void;
  /**
   * A state of trouble: one call when it begins and one when all is well again. Besides, once each: credentials would
   * travel unencrypted to another machine, and hardly any of the first 1,000 look-ups were answered from the cache.
   */
  warn(...args: unknown[]): void;
  /** For what an operator may like to know: nothing at present. */
  info(...args: unknown[]): void;
  /** For what helps to find out why: that one trouble is over while another lasts, for example. */
  debug(...args: unknown[]): void;
}

/** How the service's credentials are had; one form at a time. Never written to a message, log or error. */
export type AuthOptions =
  | {
      /** A client token, sent as `Authorization: Bearer …`. */
      readonly token: string;
    }
  | {
      /** A JSON Web Token, sent as `Authorization: JWT …`: Flipt's scheme for its JWT method. */
      readonly jwt: string;
    }
  | {
      /** Path of a file that holds a client token; read again when it changes, and when the service refuses it. */
      readonly tokenFile: string;
    }
  | {
      /**
       * Called for each request, which is sent with what it returns; may be async, and is given `http.timeoutMs` at
       * most. If it fails, nothing is sent.
       */
      readonly headers: () => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
    };

/** What is used of an undici dispatcher, of whichever major version. */
export interface HttpDispatcher {
  /** Sends one request; rejects if there is no answer. */
  request(options: HttpDispatcherRequest): Promise<HttpDispatcherResponse>;
}

/** What a dispatcher is asked to send. */
export interface HttpDispatcherRequest {
  /** Scheme, host and port of `url`, without a slash at its end. */
  readonly origin: string;
  /** What follows: the path of `url`, the operation's, and its query. */
  readonly path: string;
  /** The provider sends POST only; the typed client, all of them. */
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Names in lower case. Credentials are among them. */
  readonly headers: Record<string, string>;
  /** JSON text; `null` where there is none. */
  readonly body: string | null;
  /** Aborted when the attempt's time is up, or nobody waits for its answer any more. */
  readonly signal: AbortSignal;
}

/** What a dispatcher answers with: the body is read to its end or given up by `signal`. */
export interface HttpDispatcherResponse {
  /** The HTTP status. A redirect is not followed. */
  readonly statusCode: number;
  /** Names in lower case; only `content-type` and `retry-after` are looked at. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrives; more than 16 MB are refused. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** How a connection over TLS is made. Default: as Node does. */
export interface TlsOptions {
  /** Certificate authorities in PEM. Default: those that Node trusts. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** Client certificate in PEM. Default: none. */
  readonly cert?: string | Uint8Array | undefined;
  /** The client certificate's private key in PEM. Default: none. */
  readonly key?: string | Uint8Array | undefined;
  /**
   * Name that the service's certificate must carry. Default: the host of `url`. Without a proxy, a `Host` in `headers`
   * wins over both.
   */
  readonly servername?: string | undefined;
}

/** How requests are sent. Checked when the provider or client is made. */
export interface HttpOptions {
  /** Milliseconds that one attempt may take: connecting, headers and body together; at least 1. Default 500. */
  readonly timeoutMs?: number | undefined;
  /**
   * Further attempts after a connection failure, 408, 429, 502, 503 or 504; not after a time-out. Default 2; 0 turns
   * them off. Within ten seconds never more than 20 % of the requests that had to be made, or three.
   */
  readonly retries?: number | undefined;
  /**
   * An undici dispatcher to send with, which is never closed by this package. Excludes `proxy`, `tls` and `socketPath`.
   * Default: none, connections of its own.
   */
  readonly dispatcher?: HttpDispatcher | undefined;
  /**
   * Address of a forward proxy, or `'env'` for HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Excludes `socketPath`.
   * Default: none.
   */
  readonly proxy?: string | undefined;
  /** Certificates of a connection over TLS. Default: none. */
  readonly tls?: TlsOptions | undefined;
  /** Path of a Unix domain socket on which the service listens; `url` then gives the Host header. Default: none. */
  readonly socketPath?: string | undefined;
}

/** What the provider and the typed client have in common. */
export interface ConnectionOptions {
  /**
   * Base address of the service, `http:` or `https:`; a path in it is kept.
   * Default: FLIPT_URL, else `http://localhost:8080`.
   */
  readonly url?: string | undefined;
  /**
   * Credentials for the service.
   * Default: FLIPT_TOKEN, FLIPT_JWT or FLIPT_TOKEN_FILE (more than one of them set: TypeError), else none.
   */
  readonly auth?: AuthOptions | undefined;
  /** Environment to evaluate in (Flipt v2), sent as X-Flipt-Environment. Default: FLIPT_ENVIRONMENT, else none. */
  readonly environment?: string | undefined;
  /** Revision to evaluate, where the service's store has revisions. Default: FLIPT_REFERENCE, else none. */
  readonly reference?: string | undefined;
  /**
   * Headers sent with each request, `Host` among them if need be. `auth` wins over one of the same name. A header of the
   * connection itself, such as `Connection` or `Content-Length`, is a TypeError. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Time-outs, retries and the way to the service. Default: what its members say. */
  readonly http?: HttpOptions | undefined;
  /**
   * Hears of what happens in the background; what it throws is dropped.
   * Default: warnings and errors to the console.
   */
  readonly logger?: Logger | undefined;
}

/** How long an answer is told, and how many are kept. Times add up: fresh, then stale, then stale on error. */
export interface CacheOptions {
  /** Milliseconds for which an answer is told without asking again. Default 15000. */
  readonly freshForMs?: number | undefined;
  /** Milliseconds after that for which it is told at once while one refresh goes out behind it. Default 15000. */
  readonly staleForMs?: number | undefined;
  /** Milliseconds after that for which it is still told if the service fails. Default 3600000. */
  readonly staleOnErrorForMs?: number | undefined;
  /** Milliseconds for which a missing flag is taken to be missing; then it is asked for again. Default 5000. */
  readonly negativeForMs?: number | undefined;
  /** Most answers kept, at most 16777216; the least recently used go first. Default 10000. */
  readonly maxEntries?: number | undefined;
  /**
   * Most bytes of questions and answers kept, with 400 for each pair. A question of more than 64 kB is not kept.
   * Default 33554432 (32 MB).
   */
  readonly maxBytes?: number | undefined;
}

/** How questions are gathered into requests. */
export interface BatchOptions {
  /** Most questions in one request. Default 50. */
  readonly maxItems?: number | undefined;
  /** Most bytes of one request's body, in UTF-8; a larger question goes alone. Default 1048576 (1 MB). */
  readonly maxBytes?: number | undefined;
  /** Most requests under way at once; meanwhile newcomers gather into the next. Default 8. */
  readonly maxConcurrent?: number | undefined;
  /**
   * Most questions that wait to be sent. Past it a caller is told at once what is known, or the default.
   * Default 10000.
   */
  readonly maxWaiting?: number | undefined;
}

/** When a service that fails is left alone, and for how long. */
export interface BreakerOptions {
  /**
   * Consecutive failed requests after which the service is left alone: no connection, no answer in time, 408, 429, 502,
   * 503 or 504. So is it when half of 20 or more requests within ten seconds have failed. Default 3.
   */
  readonly failures?: number | undefined;
  /** Milliseconds for which it is left alone at first; doubles each time a probe fails. Default 5000. */
  readonly openForMs?: number | undefined;
  /** The longest that it is left alone, in milliseconds; `openForMs` if that is longer. Default 60000. */
  readonly maxOpenForMs?: number | undefined;
}

/** Checked when the provider is made; a wrong or unknown option is a TypeError that names it. */
export interface FliptProviderOptions extends ConnectionOptions {
  /** Key of the namespace whose flags are resolved. Default: FLIPT_NAMESPACE, else `default`. */
  readonly namespace?: string | undefined;
  /** `'required'`: a context without a targetingKey is TARGETING_KEY_MISSING. Default `'optional'`: it is sent as ''. */
  readonly targetingKey?: 'optional' | 'required' | undefined;
  /**
   * Which context attributes are sent, and so take part in the cache key. Default: all.
   * Leave out what differs from call to call (request ids, timestamps): it defeats the cache.
   */
  readonly attributes?:
    | {
        /** Names of the attributes that are sent; no others are. */
        readonly only: readonly string[];
      }
    | {
        /** Names of the attributes that are not sent; all others are. */
        readonly except: readonly string[];
      }
    | undefined;
  /** Milliseconds for which `initialize` tries to reach the service; then it goes on in the background. Default 5000. */
  readonly initTimeoutMs?: number | undefined;
  /**
   * The longest that one resolve may take, in milliseconds; then the last known answer or the default is told.
   * Default 1000.
   */
  readonly deadlineMs?: number | undefined;
  /** How long answers are kept. Default: on. `false`: nothing is kept; equal questions under way are still one. */
  readonly cache?: false | CacheOptions | undefined;
  /** How questions share requests. Default: on. `false`: each question is a request of its own. */
  readonly batch?: false | BatchOptions | undefined;
  /** When a failing service is left alone. Default: on. `false`: it is asked however often it has failed. */
  readonly breaker?: false | BreakerOptions | undefined;
}
