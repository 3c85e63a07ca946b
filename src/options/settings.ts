import { checkOptions, type OptionRules } from './check-options.js';
import { clientRules } from './connection-rules.js';
import { authOf, missingCredentials, variableOf, type Environment } from './environment.js';
import { providerRules } from './provider-rules.js';
import type {
  AuthOptions,
  BatchOptions,
  BreakerOptions,
  CacheOptions,
  ConnectionOptions,
  FliptProviderOptions,
  HttpOptions,
  Logger,
  WatchOptions,
} from './provider-options.js';

type Settled<T> = { readonly [K in keyof T]-?: Exclude<T[K], undefined> };

/** The options with defaults and environment variables filled in. */
export interface ConnectionSettings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly auth: AuthOptions | undefined;
  readonly environment: string | undefined;
  readonly reference: string | undefined;
  /** Names in lower case: no header is sent twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the message about a 401; `undefined` if credentials are configured. */
  readonly missingCredentials: string | undefined;
  readonly http: HttpOptions & { readonly timeoutMs: number; readonly retries: number };
  readonly logger: Logger;
}

export interface ProviderSettings extends ConnectionSettings {
  readonly namespace: string;
  readonly targetingKey: 'optional' | 'required';
  readonly attributes: FliptProviderOptions['attributes'];
  readonly initTimeoutMs: number;
  readonly deadlineMs: number;
  readonly cache: Settled<CacheOptions> | undefined;
  readonly batch: Settled<BatchOptions>;
  readonly breaker: Settled<BreakerOptions> | undefined;
  /** `undefined`: off. */
  readonly watch: Settled<WatchOptions> | undefined;
}

const CACHE: Settled<CacheOptions> = {
  freshForMs: 15_000,
  staleForMs: 15_000,
  staleOnErrorForMs: 3_600_000,
  negativeForMs: 5_000,
  maxEntries: 10_000,
  maxBytes: 32 * 1024 * 1024,
};
const BATCH: Settled<BatchOptions> = {
  maxItems: 50,
  maxBytes: 1024 * 1024,
  maxConcurrent: 8,
  maxWaiting: 10_000,
};
const BREAKER: Settled<BreakerOptions> = { failures: 3, openForMs: 5_000, maxOpenForMs: 10_000 };

const WATCH: Settled<WatchOptions> = { pollMs: 15_000, stream: false, maxAgeMs: 600_000 };

/** Throws a TypeError that names what is wrong. */
export function providerSettings(
  options: FliptProviderOptions = {},
  env: Environment = process.env,
): ProviderSettings {
  checkOptions(providerRules, options);
  const connection = connectionOf(providerRules, options, env);
  // A snapshot is always of the newest revision.
  const isWatched = options.watch !== false && connection.reference === undefined;
  return {
    ...connection,
    namespace: options.namespace ?? (env.FLIPT_NAMESPACE || 'default'),
    targetingKey: options.targetingKey ?? 'optional',
    attributes: options.attributes && (set(options.attributes) as FliptProviderOptions['attributes']),
    initTimeoutMs: options.initTimeoutMs ?? 5_000,
    deadlineMs: options.deadlineMs ?? 1_000,
    cache: options.cache === false ? undefined : filledIn(CACHE, options.cache),
    batch: options.batch === false ? { ...BATCH, maxItems: 1 } : filledIn(BATCH, options.batch),
    breaker: options.breaker === false ? undefined : filledIn(BREAKER, options.breaker),
    watch: isWatched ? filledIn(WATCH, options.watch || undefined) : undefined,
  };
}

/** Throws a TypeError that names what is wrong. */
export function clientSettings(
  options: ConnectionOptions = {},
  env: Environment = process.env,
): ConnectionSettings {
  checkOptions(clientRules, options);
  return connectionOf(clientRules, options, env);
}

/** Not by a regular expression: it would take quadratic time for a long row of slashes. */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}

/** Options win over variables. An empty variable counts as not set; any other is checked like an option. */
function connectionOf(rules: OptionRules, options: ConnectionOptions, env: Environment): ConnectionSettings {
  const given = {
    url: String(options.url ?? (env.FLIPT_URL || 'http://localhost:8080')),
    auth: options.auth ?? authOf(rules.owner, env),
    environment: options.environment ?? (env.FLIPT_ENVIRONMENT || undefined),
    reference: options.reference ?? (env.FLIPT_REFERENCE || undefined),
  };
  checkOptions(rules, given, variableOf);
  const headers = lowerCaseNames(options.headers ?? {});
  return {
    ...given,
    auth: given.auth && (set(given.auth) as AuthOptions),
    url: withoutSlashes(given.url),
    headers,
    missingCredentials: missingCredentials(given.auth, headers, env),
    http: { ...options.http, timeoutMs: options.http?.timeoutMs ?? 500, retries: options.http?.retries ?? 2 },
    logger: options.logger === undefined ? consoleLogger : harmless(options.logger),
  };
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function filledIn<T extends object>(
  defaults: T,
  given: { readonly [K in keyof T]?: T[K] | undefined } | undefined,
): T {
  return { ...defaults, ...set(given ?? {}) };
}

/** Without the options that are undefined: those count as not set. */
function set(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const consoleLogger: Logger = {
  error: (...args) => {
    console.error(...args);
  },
  warn: (...args) => {
    console.warn(...args);
  },
  info: () => undefined,
  debug: () => undefined,
};

/** Ignores what a logger throws: callers still get their answers. */
function harmless(logger: Logger): Logger {
  const safely =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      try {
        // An async method is a `() => void`, too; its rejection would end the process.
        const log: (...args: unknown[]) => unknown = logger[level].bind(logger);
        const logged = log(...args);
        if (logged instanceof Promise) logged.catch(() => undefined);
      } catch {
        // There is nowhere to report it.
      }
    };
  return { error: safely('error'), warn: safely('warn'), info: safely('info'), debug: safely('debug') };
}
