import type { AuthOptions } from './auth-options.js';
import type { SnapshotOptions, WatchOptions } from './snapshot-options.js';

/** Receives messages about what happens in the background. OpenFeature's own loggers fit. */
export interface Logger {
  /** Meant for what makes the provider unusable; not called at present. */
  error(...args: unknown[]): void;
  /**
   * For problems: one call when a problem begins and one when it is over. Also, once each: credentials are sent
   * unencrypted to another machine; fewer than 50 of the first 1,000 look-ups were answered from the cache; a
   * percentage decides without a targetingKey.
   */
  warn(...args: unknown[]): void;
  /** Meant for what an operator may want to know; not called at present. */
  info(...args: unknown[]): void;
  /** For finding a cause; for example, that one problem is over while another lasts. */
  debug(...args: unknown[]): void;
}

/** The part of an undici dispatcher that is used; any major version has it. */
export interface HttpDispatcher {
  /** Sends one request; rejects if there is no answer. */
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
  /** Names in lower case; only `content-type`, `content-encoding`, `etag` and `retry-after` are read. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrives; more than 16 MB is refused, of a snapshot more than 64 MB. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** TLS of the connection. Default: as in Node. */
export interface TlsOptions {
  /** Trusted certificate authorities in PEM. Default: those that Node trusts. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** Client certificate in PEM. Default: none. */
  readonly cert?: string | Uint8Array | undefined;
  /** The client certificate's private key in PEM. Default: none. */
  readonly key?: string | Uint8Array | undefined;
  /**
   * Host name that the service's certificate must have. Default: the host of `url`; without a proxy, a `Host` in
   * `headers` wins over that.
   */
  readonly servername?: string | undefined;
}

/** How requests are sent. Checked when the provider or client is created. */
export interface HttpOptions {
  /** Milliseconds that one attempt may take: connecting, headers and body together; at least 1. Default 500. */
  readonly timeoutMs?: number | undefined;
  /**
   * Further attempts after a connection failure, 408, 429, 502, 503 or 504; not after a time-out. Default 2; 0 turns
   * them off. Within ten seconds, retries are at most 20 % of the first attempts, or three.
   */
  readonly retries?: number | undefined;
  /**
   * An undici dispatcher to send with; never closed by this package. Excludes `proxy`, `tls` and `socketPath`.
   * Default: none; the package opens its own connections.
   */
  readonly dispatcher?: HttpDispatcher | undefined;
  /**
   * Address of a forward proxy, or `'env'` for HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Excludes `socketPath`.
   * Default: none.
   */
  readonly proxy?: string | undefined;
  /** Certificates for TLS. Default: none. */
  readonly tls?: TlsOptions | undefined;
  /**
   * Path of a Unix domain socket on which the service listens. `url` then gives only the Host header. Default: none.
   */
  readonly socketPath?: string | undefined;
}

/** The options that the provider and the typed client share. */
export interface ConnectionOptions {
  /**
   * Base address of the service, `http:` or `https:`; a path in it is kept.
   * Default: FLIPT_URL, else `http://localhost:8080`.
   */
  readonly url?: string | URL | undefined;
  /**
   * Credentials for the service.
   * Default: FLIPT_TOKEN, FLIPT_JWT, FLIPT_TOKEN_FILE or FLIPT_AUTH=kubernetes (more than one of them set: TypeError),
   * else none.
   */
  readonly auth?: AuthOptions | undefined;
  /** Environment to evaluate in (Flipt v2), sent as X-Flipt-Environment. Default: FLIPT_ENVIRONMENT, else none. */
  readonly environment?: string | undefined;
  /** Revision to evaluate, if the service's store has revisions. Default: FLIPT_REFERENCE, else none. */
  readonly reference?: string | undefined;
  /**
   * Headers sent with each request; `Host` is allowed. `auth` wins over a header of the same name. Headers of the
   * connection itself, such as `Connection` or `Content-Length`, are a TypeError. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Time-outs, retries and how to connect. Default: what its members say. */
  readonly http?: HttpOptions | undefined;
  /**
   * Receives messages about what happens in the background; anything it throws is ignored.
   * Default: warnings and errors to the console.
   */
  readonly logger?: Logger | undefined;
}

/** How long answers are used, and how many are kept. The times add up: fresh, then stale, then stale on error. */
export interface CacheOptions {
  /** Milliseconds for which an answer is fresh: used without asking the service. Default 15000. */
  readonly freshForMs?: number | undefined;
  /** Milliseconds after that for which it is stale: used at once, and refreshed in the background. Default 15000. */
  readonly staleForMs?: number | undefined;
  /** Milliseconds after that for which it is still used if the service fails. Default 3600000. */
  readonly staleOnErrorForMs?: number | undefined;
  /** Milliseconds for which a missing flag is remembered as missing. Default 5000. */
  readonly negativeForMs?: number | undefined;
  /** Most answers to keep, up to 16777216; the least recently used are dropped first. Default 10000. */
  readonly maxEntries?: number | undefined;
  /**
   * Most bytes of questions and answers to keep, counting 400 more for each pair. A question over 64 kB is not kept.
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
  /** Most requests at a time; questions that arrive meanwhile form the next batch. Default 8. */
  readonly maxConcurrent?: number | undefined;
  /**
   * Most questions waiting to be sent. Beyond it, callers get the last known answer or their default at once.
   * Default 10000.
   */
  readonly maxWaiting?: number | undefined;
}

/** When the circuit breaker opens, so that a failing service is not asked, and for how long. */
export interface BreakerOptions {
  /**
   * Failed requests in a row that open the circuit: no connection, no answer in time, 408, 429, 502, 503 or 504. It also
   * opens once half of at least 20 requests within ten seconds have failed. Default 3.
   */
  readonly failures?: number | undefined;
  /**
   * Milliseconds until the service is checked for the first time; doubles each time the check fails. Each time is
   * shortened at random, by half at most, so that many instances do not check at once. Default 5000.
   */
  readonly openForMs?: number | undefined;
  /** The longest time between two checks, in milliseconds; `openForMs` if that is longer. Default 10000. */
  readonly maxOpenForMs?: number | undefined;
}

/** Checked when the provider is created: a wrong or unknown option is a TypeError that names it. */
export interface FliptProviderOptions extends ConnectionOptions {
  /** Key of the namespace whose flags are resolved. Default: FLIPT_NAMESPACE, else `default`. */
  readonly namespace?: string | undefined;
  /**
   * `'required'`: a context without a targetingKey fails with TARGETING_KEY_MISSING. Default `'optional'`: `''` is
   * sent.
   */
  readonly targetingKey?: 'optional' | 'required' | undefined;
  /**
   * Which context attributes are sent, and so take part in the cache key. Default: all.
   * Leave out attributes that differ from call to call (request ids, timestamps): they defeat the cache.
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
  /** Milliseconds for which `initialize` tries to reach the service; then it continues in the background. Default 5000. */
  readonly initTimeoutMs?: number | undefined;
  /**
   * Most milliseconds that one resolve may take. After that it returns the last known answer or the default. Default
   * 1000.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * How long answers are used. Default: on (`true`). `false`: no answer is kept, but equal questions at the same time
   * still share a request.
   */
  readonly cache?: boolean | CacheOptions | undefined;
  /** How questions share requests. Default: on (`true`). `false`: one request per question. */
  readonly batch?: boolean | BatchOptions | undefined;
  /** When the circuit opens. Default: on (`true`). `false`: never. */
  readonly breaker?: boolean | BreakerOptions | undefined;
  /**
   * Notices which flags change: their answers are dropped, PROVIDER_CONFIGURATION_CHANGED names them, and all other
   * answers stay fresh. Default: on (`true`), but never with a `reference`. `false`: off.
   */
  readonly watch?: boolean | WatchOptions | undefined;
  /**
   * Where flags are evaluated. `'in-process'`: here, from the service's snapshot, without a request for each user;
   * remote until the first snapshot has come, and if the service offers none. Excludes `reference`.
   * Default: FLIPT_EVALUATION, else `'remote'`.
   */
  readonly evaluation?: 'remote' | 'in-process' | undefined;
  /** Keeps the last snapshot across restarts, or gives one to start from. Default: neither. */
  readonly snapshot?: SnapshotOptions | undefined;
}
