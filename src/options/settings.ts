import type * as v from 'valibot';
import { lowerCaseNames } from '../base/text/header.js';
import type { OptionRules } from './check-options.js';
import { checkSnapshotUse, warnOfUnusedWatch } from './conflicting-options.js';
import { clientRules, type ConnectionOptions, type Logger } from './connection-options.js';
import { withVariables, credentialsAdvice, variable, type Environment } from './environment.js';
import { proxyOf, type UsedProxy } from './proxy-variables.js';
import { providerRules, type FliptProviderOptions } from './provider-options.js';
import { safeLogger } from './safe-logger.js';

type CheckedConnection = v.InferOutput<typeof clientRules.shape>;

/** How the package sends requests, and through which proxy. */
export interface HttpSettings extends Omit<CheckedConnection['http'], 'proxy'>, UsedProxy {}

/** The connection options, with defaults and environment variables filled in. */
export interface ConnectionSettings extends Omit<CheckedConnection, 'http'> {
  readonly http: HttpSettings;
  readonly environment: string | undefined;
  /**
   * The headers of the option `headers`. The names of these headers are in lower case, so that the package sends no
   * header twice.
   */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the user has set the option `url` or the environment variable FLIPT_URL. */
  readonly hasUrl: boolean;
  /** Advice about what to check after a 401. The error message about a 401 ends with this advice. */
  readonly credentialsAdvice: string;
  /** The methods of the logger. Code can call these methods without `this`. */
  readonly logger: Readonly<Record<keyof Logger, (...words: unknown[]) => void>>;
}

export type ProviderSettings = ConnectionSettings &
  Omit<v.InferOutput<typeof providerRules.shape>, keyof ConnectionSettings>;

/**
 * Checks the options, and fills in environment variables and defaults. If an option or an environment variable is
 * wrong, the function throws a TypeError that names the option or the variable.
 */
export function providerSettings(
  options: FliptProviderOptions = {},
  env: Environment = process.env,
): ProviderSettings {
  const checked = withVariables(providerRules, options, env);
  const watch = checked.reference === undefined ? checked.watch : undefined;
  checkSnapshotUse({ ...checked, watch });
  const connection = connectionOf(checked, options, providerRules.owner, env);
  if (checked.reference !== undefined) warnOfUnusedWatch(options.watch, connection.logger);
  return { ...checked, ...connection, environment: checked.environment, watch };
}

/**
 * Checks the options, and fills in environment variables and defaults. If an option or an environment variable is
 * wrong, the function throws a TypeError that names the option or the variable.
 */
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
