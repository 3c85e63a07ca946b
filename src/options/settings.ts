import * as v from 'valibot';
import { harmlessly, unsteered } from '../base/text/describe.js';
import { lowerCaseNames } from '../base/text/header.js';
import { outsideRequests } from '../base/time/background-work.js';
import { checkOptions, type OptionRules } from './check-options.js';
import { clientRules, type ConnectionOptions, type Logger } from './connection-options.js';
import { credentialsAdvice, fromVariables, variable, variableOf, type Environment } from './environment.js';
import { proxyRule } from './http-options.js';
import { nodeUsesProxies, proxyVariableFor, withScheme } from './proxy-variables.js';
import { providerRules, type FliptProviderOptions } from './provider-options.js';

type CheckedConnection = v.InferOutput<typeof clientRules.shape>;

/** How requests are sent, and through which proxy. */
export interface HttpSettings extends Omit<CheckedConnection['http'], 'proxy'> {
  /** The proxy that all requests go through, from the option or a variable; `undefined` without one. */
  readonly proxy: URL | undefined;
  /** The variable that names a proxy which is not used; `undefined` without one. */
  readonly unusedProxy: string | undefined;
}

/** The options with defaults and environment variables filled in. */
export interface ConnectionSettings extends Omit<CheckedConnection, 'http'> {
  readonly http: HttpSettings;
  readonly environment: string | undefined;
  /** Names in lower case: no header is sent twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the user has set `url`, by the option or the variable. */
  readonly hasUrl: boolean;
  /** What to check after a 401; ends its message. */
  readonly credentialsAdvice: string;
  /** Functions that need no `this`. */
  readonly logger: Readonly<Record<keyof Logger, (...words: unknown[]) => void>>;
}

export type ProviderSettings = ConnectionSettings &
  Omit<v.InferOutput<typeof providerRules.shape>, keyof ConnectionSettings> & {
    /** Whether anything goes on between calls, with and without a watch. */
    readonly background: boolean;
  };

/** Throws a TypeError that names what is wrong. */
export function providerSettings(
  options: FliptProviderOptions = {},
  env: Environment = process.env,
): ProviderSettings {
  const checked = checkedWith(providerRules, options, env);
  const background = checked.watch?.background ?? true;
  if (!background) checkWithoutBackground(options, env);
  const evaluation = background ? checked.evaluation : 'in-process';
  const watch = checked.reference === undefined ? checked.watch : undefined;
  checkSnapshotUse({ ...checked, evaluation, watch });
  const connection = connectionOf(checked, options, providerRules.owner, env);
  if (checked.reference !== undefined && isWatchWished(options.watch)) connection.logger.warn(NEWEST_ONLY);
  return { ...checked, ...connection, environment: checked.environment, evaluation, watch, background };
}

const NEWEST_ONLY =
  "FliptProvider: with a reference, nothing is watched, because Flipt's snapshot has the newest revision only: leave out watch";

/** Whether the options ask for more than the default. */
function isWatchWished(watch: FliptProviderOptions['watch'] = false): boolean {
  return typeof watch === 'object' ? Object.keys(watch).some((name) => name !== 'background') : watch;
}

/** Where nothing may run between calls, flags are evaluated in-process. Throws a TypeError if the user wants another way. */
function checkWithoutBackground(options: FliptProviderOptions, env: Environment): void {
  const ways = [
    ["evaluation: 'remote'", options.evaluation === 'remote'],
    ['FLIPT_EVALUATION=remote', !options.evaluation && variable(env, 'FLIPT_EVALUATION') === 'remote'],
    ['a reference', (options.reference ?? variable(env, 'FLIPT_REFERENCE')) !== undefined],
  ] as const;
  const [way] = ways.find(([, isGiven]) => isGiven) ?? [];
  if (way === undefined) return;
  throw new TypeError(
    `${providerRules.owner}: watch: { background: false } evaluates flags in-process, from the newest snapshot: leave out ${way}`,
  );
}

/** Throws a TypeError that names what is wrong. */
export function clientSettings(
  options: ConnectionOptions = {},
  env: Environment = process.env,
  rules: OptionRules<typeof clientRules.shape> = clientRules,
): ConnectionSettings {
  const checked = checkedWith(rules, options, env);
  const connection = connectionOf(checked, options, rules.owner, env);
  return { ...checked, ...connection, environment: checked.environment };
}

/**
 * Options win over variables. An empty variable counts as not set. Any other is checked like an option. The result names
 * every option.
 */
function checkedWith<Shape extends v.GenericSchema<unknown, object> & { readonly entries: object }>(
  rules: OptionRules<Shape>,
  options: ConnectionOptions,
  env: Environment,
): v.InferOutput<Shape> {
  const checked = checkOptions(rules, options);
  const unset = Object.keys(rules.shape.entries).filter((name) => Reflect.get(options, name) === undefined);
  const ofVariables = checkOptions(rules, fromVariables(unset, rules.owner, env), variableOf);
  const rest = unset.map((name): [string, unknown] => [name, Reflect.get(ofVariables, name)]);
  return { ...checked, ...Object.fromEntries(rest) };
}

function connectionOf(
  checked: CheckedConnection,
  { url, auth, headers: given = {}, logger }: ConnectionOptions,
  owner: string,
  env: Environment,
) {
  const headers = lowerCaseNames(given);
  const hasUrl = (url ?? variable(env, 'FLIPT_URL')) !== undefined;
  const advice = credentialsAdvice(auth, headers, env);
  const http: HttpSettings = { ...checked.http, ...proxyOf(checked, owner, env) };
  return { hasUrl, headers, credentialsAdvice: advice, http, logger: safeLogger(logger) };
}

/**
 * Without the option, the proxies of the environment count where Node's own HTTP uses them. Throws a TypeError about the
 * variable, if that names the proxy.
 */
function proxyOf(
  { url, http }: CheckedConnection,
  owner: string,
  env: Environment,
): Pick<HttpSettings, 'proxy' | 'unusedProxy'> {
  const none = { proxy: undefined, unusedProxy: undefined };
  const { proxy: given, dispatcher, socketPath } = http;
  if (given instanceof URL) return { ...none, proxy: given };
  if (given === false || (dispatcher ?? socketPath) !== undefined) return none;
  const named = proxyVariableFor(new URL(url), env, given === 'env');
  if (named === undefined) return none;
  if (given === undefined && !nodeUsesProxies()) return { ...none, unusedProxy: named.name };
  const shape = v.object({ [named.name]: proxyRule() });
  const checked = checkOptions({ owner, shape }, { [named.name]: withScheme(named.value) });
  return { ...none, proxy: checked[named.name] };
}

/** Throws a TypeError if the options exclude each other. */
function checkSnapshotUse(options: v.InferOutput<typeof providerRules.shape>): void {
  const { evaluation, reference, watch, snapshot } = options;
  const { file, store, initial } = snapshot;
  const wrong = (message: string) => new TypeError(`${providerRules.owner}: ${message}`);
  const kept = file ?? store;
  if (reference !== undefined && kept !== undefined) {
    throw wrong('snapshot.file and snapshot.store keep the newest revision only: leave out reference');
  }
  if (evaluation === 'remote') return;
  const needs = "evaluation: 'in-process' needs";
  if (reference !== undefined) throw wrong(`${needs} the newest revision only: leave out reference`);
  if (watch === undefined && (kept ?? initial) === undefined) {
    throw wrong(
      `${needs} a snapshot: with watch: false, set snapshot.initial, snapshot.file or snapshot.store`,
    );
  }
}

/** Numbers so small are used as given, but were probably meant in a larger unit. */
const MOST_MS = 100;
const MOST_BYTES = 1_024;

/** Asks whether seconds or MB were meant, in one message for all options; `undefined` if none is doubtful. */
export function sizeWarnings(settings: Pick<ProviderSettings, 'batch' | 'cache' | 'watch'>) {
  const { batch, cache, watch } = settings;
  const asked = [
    doubtIf('watch.pollMs', watch?.pollMs, MOST_MS, 'ms: were seconds meant'),
    doubtIf('cache.freshForMs', cache?.freshForMs, MOST_MS, 'ms: were seconds meant'),
    doubtIf('cache.maxBytes', cache?.maxBytes, MOST_BYTES, 'bytes: were MB meant'),
    doubtIf('batch.maxBytes', batch.maxBytes, MOST_BYTES, 'bytes: were MB meant'),
  ];
  const doubts = asked.filter((doubt) => doubt !== undefined);
  return doubts.length === 0 ? undefined : `Used as given: ${doubts.join(' ')}`;
}

/** 0 is no mistake of units: it switches something off. */
function doubtIf(option: string, given: number | undefined, most: number, words: string): string | undefined {
  return given === undefined || given < 1 || given > most ? undefined : `${option} is ${given} ${words}?`;
}

/** A console has lines of many. A logger of the user's can say by itself who logs. */
const SENDER = '[openfeature-flipt-provider]';

const none = () => undefined;
const toConsole =
  (level: 'error' | 'warn') =>
  (...args: unknown[]) => {
    console[level](SENDER, ...args);
  };
const consoleLogger: Logger = { error: toConsole('error'), warn: toConsole('warn'), info: none, debug: none };

/**
 * Ignores errors that a logger throws, so that callers still get their answers. Logs outside any request, because what
 * is logged may serve all of them. Whatever a layer puts into a message, it stays one line, and does not steer a
 * terminal. Default: warnings and errors to the console.
 */
function safeLogger(logger: Logger = consoleLogger): Logger {
  const safely =
    (level: keyof Logger) =>
    (...args: unknown[]) => {
      // An async method is a `() => void`, too. What a logger throws cannot be logged.
      harmlessly(() => {
        const log: (...args: unknown[]) => unknown = logger[level].bind(logger);
        const words = args.map((word) => (typeof word === 'string' ? unsteered(word) : word));
        return outsideRequests(() => log(...words));
      });
    };
  return { error: safely('error'), warn: safely('warn'), info: safely('info'), debug: safely('debug') };
}
