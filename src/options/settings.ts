import type * as v from 'valibot';
import { lowerCaseNames } from '../text/header.js';
import { checkOptions, type OptionRules } from './check-options.js';
import { clientRules, type ConnectionOptions, type Logger } from './connection-options.js';
import {
  authOf,
  credentialsAdvice,
  fromVariables,
  variable,
  variableOf,
  type Environment,
} from './environment.js';
import { safeLogger } from './logger.js';
import { providerRules, type FliptProviderOptions } from './provider-options.js';

type Filled<Options> = { readonly [Name in keyof Required<Options>]: Options[Name] };

/** The options with defaults and environment variables filled in. */
export interface ConnectionSettings extends Filled<v.InferOutput<typeof clientRules.shape>> {
  /** Names in lower case: no header is sent twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the user has set `url`, by the option or the variable. */
  readonly hasUrl: boolean;
  /** What to check after a 401; ends its message. */
  readonly credentialsAdvice: string;
  readonly logger: Logger;
}

export type ProviderSettings = ConnectionSettings &
  Filled<Omit<v.InferOutput<typeof providerRules.shape>, keyof ConnectionSettings>> & {
    /** Whether anything goes on between calls, with and without a watch. */
    readonly background: boolean;
  };

const UNSET = {
  auth: undefined,
  environment: undefined,
  reference: undefined,
  attributes: undefined,
  tracking: undefined,
};

/** Throws a TypeError that names what is wrong. */
export function providerSettings(
  options: FliptProviderOptions = {},
  env: Environment = process.env,
): ProviderSettings {
  const checked = checkedWith(providerRules, options, env);
  const background = checked.watch?.background ?? true;
  const watch = checked.reference === undefined ? checked.watch : undefined;
  checkSnapshotUse({ ...checked, watch });
  const connection = connectionOf(options, env);
  if (checked.reference !== undefined && isWatchWished(options.watch)) connection.logger.warn(NEWEST_ONLY);
  return { ...UNSET, ...checked, ...connection, watch, background };
}

const NEWEST_ONLY =
  "FliptProvider: with a reference, nothing is watched, because Flipt's snapshot has the newest revision only; " +
  'of watch, background alone has an effect';

/** Whether the options ask for more than the default, and more than a provider without a background. */
function isWatchWished(watch: FliptProviderOptions['watch'] = false): boolean {
  return typeof watch === 'object' ? Object.keys(watch).some((name) => name !== 'background') : watch;
}

/** Throws a TypeError that names what is wrong. */
export function clientSettings(
  options: ConnectionOptions = {},
  env: Environment = process.env,
  rules: typeof clientRules = clientRules,
): ConnectionSettings {
  return { ...UNSET, ...checkedWith(rules, options, env), ...connectionOf(options, env) };
}

/** Options win over variables. An empty variable counts as not set. Any other is checked like an option. */
function checkedWith<Shape extends v.GenericSchema<unknown, object> & { readonly entries: object }>(
  rules: OptionRules<Shape>,
  options: ConnectionOptions,
  env: Environment,
): v.InferOutput<Shape> {
  const checked = checkOptions(rules, options);
  const unset = Object.keys(rules.shape.entries).filter((name) => Reflect.get(options, name) === undefined);
  const auth = unset.includes('auth') ? authOf(rules.owner, env) : undefined;
  const held = { ...fromVariables(unset, env), ...(auth && { auth }) };
  const ofVariables = checkOptions(rules, held, variableOf);
  return { ...checked, ...Object.fromEntries(Object.entries(ofVariables).filter(([name]) => name in held)) };
}

function connectionOf({ url, auth, headers: given = {}, logger }: ConnectionOptions, env: Environment) {
  const headers = lowerCaseNames(given);
  const hasUrl = (url ?? variable(env, 'FLIPT_URL')) !== undefined;
  const advice = credentialsAdvice(auth, headers, env);
  return { hasUrl, headers, credentialsAdvice: advice, logger: safeLogger(logger) };
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
