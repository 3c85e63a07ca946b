import { checkOptions, type OptionRules } from './check-options.js';
import { clientRules } from './connection-rules.js';
import { BATCH, BREAKER, CACHE, DEFAULTS } from './defaults.js';
import { authOf, credentialsAdvice, variable, variableOf, type Environment } from './environment.js';
import { evaluationSettings, type EvaluationSettings } from './evaluation-settings.js';
import { set, switched, type WithDefaults } from './with-defaults.js';
import { providerRules } from './provider-rules.js';
import { isPromiseLike } from '../text/describe.js';
import { lowerCaseNames } from '../text/header.js';
import { unsteered } from '../text/quote.js';
import type { AuthOptions } from './auth-options.js';
import type {
  BatchOptions,
  BreakerOptions,
  CacheOptions,
  ConnectionOptions,
  FliptProviderOptions,
  HttpOptions,
  Logger,
} from './provider-options.js';

/** The options with defaults and environment variables filled in. */
export interface ConnectionSettings {
  /** Without a slash at its end. */
  readonly url: string;
  readonly auth: AuthOptions | undefined;
  readonly environment: string | undefined;
  readonly reference: string | undefined;
  /** Names in lower case: no header is sent twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** What to check after a 401; ends its message. */
  readonly credentialsAdvice: string;
  readonly http: HttpOptions & { readonly timeoutMs: number; readonly retries: number };
  readonly logger: Logger;
}

export interface ProviderSettings extends ConnectionSettings, EvaluationSettings {
  readonly namespace: string;
  readonly targetingKey: 'optional' | 'required';
  readonly attributes: FliptProviderOptions['attributes'];
  readonly initTimeoutMs: number;
  readonly deadlineMs: number;
  readonly cache: WithDefaults<CacheOptions> | undefined;
  readonly batch: WithDefaults<BatchOptions>;
  readonly breaker: WithDefaults<BreakerOptions> | undefined;
}

/** Throws a TypeError that names what is wrong. */
export function providerSettings(
  options: FliptProviderOptions = {},
  env: Environment = process.env,
): ProviderSettings {
  checkOptions(providerRules, options);
  const connection = connectionOf(providerRules, options, env);
  return {
    ...connection,
    namespace: options.namespace ?? variable(env, 'FLIPT_NAMESPACE') ?? DEFAULTS.namespace,
    targetingKey: options.targetingKey ?? DEFAULTS.targetingKey,
    attributes: options.attributes && (set(options.attributes) as FliptProviderOptions['attributes']),
    initTimeoutMs: options.initTimeoutMs ?? DEFAULTS.initTimeoutMs,
    deadlineMs: options.deadlineMs ?? DEFAULTS.deadlineMs,
    cache: switched(CACHE, options.cache),
    batch: switched(BATCH, options.batch) ?? { ...BATCH, maxItems: 1 },
    breaker: switched(BREAKER, options.breaker),
    ...evaluationSettings(options, connection.reference, env),
  };
}

/** Throws a TypeError that names what is wrong. */
export function clientSettings(
  options: ConnectionOptions = {},
  env: Environment = process.env,
  rules: OptionRules = clientRules,
): ConnectionSettings {
  checkOptions(rules, options);
  return connectionOf(rules, options, env);
}

/** Not by a regular expression: it would take quadratic time for a long row of slashes. */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}

/** Options win over variables. An empty variable counts as not set. Any other is checked like an option. */
function connectionOf(rules: OptionRules, options: ConnectionOptions, env: Environment): ConnectionSettings {
  const given = {
    url: String(options.url ?? variable(env, 'FLIPT_URL') ?? DEFAULTS.url),
    auth: options.auth ?? authOf(rules.owner, env),
    environment: options.environment ?? variable(env, 'FLIPT_ENVIRONMENT'),
    reference: options.reference ?? variable(env, 'FLIPT_REFERENCE'),
  };
  checkOptions(rules, given, variableOf);
  const headers = lowerCaseNames(options.headers ?? {});
  return {
    ...given,
    auth: given.auth && (set(given.auth) as AuthOptions),
    // As it is sent, and so without characters that would steer a terminal where a message names it.
    url: withoutSlashes(new URL(given.url).href),
    headers,
    credentialsAdvice: credentialsAdvice(options.auth, headers, env),
    http: {
      ...options.http,
      timeoutMs: options.http?.timeoutMs ?? DEFAULTS.timeoutMs,
      retries: options.http?.retries ?? DEFAULTS.retries,
    },
    logger: options.logger === undefined ? consoleLogger : harmless(options.logger),
  };
}

const consoleLogger: Logger = {
  error: (...args) => {
    console.error(...args.map(printable));
  },
  warn: (...args) => {
    console.warn(...args.map(printable));
  },
  info: () => undefined,
  debug: () => undefined,
};

/** Whatever a layer puts into a message, it stays one line, and does not steer a terminal. */
function printable(word: unknown): unknown {
  return typeof word === 'string' ? unsteered(word) : word;
}

/** Ignores errors that a logger throws, so that callers still get their answers. */
function harmless(logger: Logger): Logger {
  const safely =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      try {
        // An async method is a `() => void`, too, and its rejection would end the process.
        const log: (...args: unknown[]) => unknown = logger[level].bind(logger);
        const logged = log(...args.map(printable));
        if (isPromiseLike(logged)) logged.then(undefined, () => undefined);
      } catch {
        // A logger that throws cannot be logged.
      }
    };
  return { error: safely('error'), warn: safely('warn'), info: safely('info'), debug: safely('debug') };
}
