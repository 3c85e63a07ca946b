import type * as v from 'valibot';
import { lowerCaseNames } from '../base/text/header.js';
import type { OptionRules } from './check-options.js';
import { checkSnapshotUse, checkWithoutBackground, warnOfUnusedWatch } from './conflicting-options.js';
import { clientRules, type ConnectionOptions, type Logger } from './connection-options.js';
import { withVariables, credentialsAdvice, variable, type Environment } from './environment.js';
import { proxyOf, type UsedProxy } from './proxy-variables.js';
import { providerRules, type FliptProviderOptions } from './provider-options.js';
import { safeLogger } from './safe-logger.js';

type CheckedConnection = v.InferOutput<typeof clientRules.shape>;

/** How requests are sent, and through which proxy. */
export interface HttpSettings extends Omit<CheckedConnection['http'], 'proxy'>, UsedProxy {}

/** The options of a connection with defaults and environment variables filled in. */
export interface ConnectionSettings extends Omit<CheckedConnection, 'http'> {
  readonly http: HttpSettings;
  readonly environment: string | undefined;
  /** The headers. The names of the headers are in lower case, so that no header is sent twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the user has set `url`, by the option or the variable. */
  readonly hasUrl: boolean;
  /** Advice about what to check after a 401. The message about the 401 ends with this advice. */
  readonly credentialsAdvice: string;
  /** The functions of the logger. The functions can be called without `this`. */
  readonly logger: Readonly<Record<keyof Logger, (...words: unknown[]) => void>>;
}

export type ProviderSettings = ConnectionSettings &
  Omit<v.InferOutput<typeof providerRules.shape>, keyof ConnectionSettings> & {
    /**
     * Whether the provider can do work between calls. With `watch: false`, it can still do so, and the value is true.
     */
    readonly background: boolean;
  };

/** Checks the options, and fills in defaults and environment variables. Throws a TypeError that names what is wrong. */
export function providerSettings(
  options: FliptProviderOptions = {},
  env: Environment = process.env,
): ProviderSettings {
  const checked = withVariables(providerRules, options, env);
  const background = checked.watch?.background ?? true;
  if (!background) checkWithoutBackground(options, env);
  const evaluation = background ? checked.evaluation : 'in-process';
  const watch = checked.reference === undefined ? checked.watch : undefined;
  checkSnapshotUse({ ...checked, evaluation, watch });
  const connection = connectionOf(checked, options, providerRules.owner, env);
  if (checked.reference !== undefined) warnOfUnusedWatch(options.watch, connection.logger);
  return { ...checked, ...connection, environment: checked.environment, evaluation, watch, background };
}

/** Checks the options, and fills in defaults and environment variables. Throws a TypeError that names what is wrong. */
export function clientSettings(
  options: ConnectionOptions = {},
  env: Environment = process.env,
  rules: OptionRules<typeof clientRules.shape> = clientRules,
): ConnectionSettings {
  const checked = withVariables(rules, options, env);
  const connection = connectionOf(checked, options, rules.owner, env);
  return { ...checked, ...connection, environment: checked.environment };
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
