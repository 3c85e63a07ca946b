import type * as v from 'valibot';
import { alternatives, isPlainObject, isRecord, unsteered } from '../base/text/describe.js';
import { isCredentialName, lowerCaseNames } from '../base/text/header.js';
import { checkOptions } from './check-options.js';
import {
  clientShape,
  FORM_OF_VARIABLE,
  type AuthOptions,
  type ConnectionOptions,
  type Environment,
  type Logger,
} from './connection-options.js';
import { providerShape, type FliptProviderOptions } from './provider-options.js';
import { proxyOf, type UsedProxy } from './proxy-variables.js';
import { safeLogger } from './safe-logger.js';
import { defined } from './value-rules.js';

type CheckedConnection = v.InferOutput<typeof clientShape>;

export interface HttpSettings extends Omit<CheckedConnection['http'], 'proxy'>, UsedProxy {}

export interface ConnectionSettings extends Omit<CheckedConnection, 'http'> {
  readonly http: HttpSettings;
  readonly environment: string | undefined;
  /** With names in lower case, so that no header is sent twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** The option or FLIPT_URL is set. */
  readonly hasUrl: boolean;
  /** The end of the message about a 401. */
  readonly credentialsAdvice: string;
  /** May be called without `this`. */
  readonly logger: Readonly<Record<keyof Logger, (...words: unknown[]) => void>>;
}

export type ProviderSettings = ConnectionSettings &
  Omit<v.InferOutput<typeof providerShape>, keyof ConnectionSettings>;

/** Throws a TypeError that names the wrong option or variable. */
export function providerSettings(
  options: FliptProviderOptions = {},
  env: Environment = process.env,
): ProviderSettings {
  const owner = 'FliptProvider';
  const given = withVariables(options, env, { ...OF_CONNECTION, ...OF_PROVIDER }, owner);
  const checked = checkOptions({ owner, shape: providerShape }, given.options, given.nameOf);
  const connection = connectionOf(checked, options, owner, env);
  const { watch, reference } = checked;
  if (reference !== undefined && (options.watch ?? false) !== false) {
    connection.logger.warn(
      "FliptProvider: with a reference, nothing is watched, because Flipt's snapshot has the newest revision only: leave out watch",
    );
  }
  return {
    ...checked,
    ...connection,
    environment: checked.environment,
    watch: reference === undefined ? watch : undefined,
  };
}

/** Throws a TypeError that names the wrong option or variable. */
export function clientSettings(
  options: ConnectionOptions = {},
  env: Environment = process.env,
  owner = 'FliptClient',
): ConnectionSettings {
  const given = withVariables(options, env, OF_CONNECTION, owner);
  const checked = checkOptions({ owner, shape: clientShape }, given.options, given.nameOf);
  return {
    ...checked,
    ...connectionOf(checked, options, owner, env),
    environment: checked.environment,
  };
}

function connectionOf(
  checked: CheckedConnection,
  { url, auth, headers: given = {}, logger }: ConnectionOptions,
  owner: string,
  env: Environment,
) {
  const headers = lowerCaseNames(given);
  return {
    hasUrl: (url ?? variable(env, 'FLIPT_URL')) !== undefined,
    headers,
    credentialsAdvice: credentialsAdvice(auth, headers, env),
    http: { ...checked.http, ...proxyOf(checked, owner, env) } satisfies HttpSettings,
    logger: safeLogger(logger),
  };
}

/** A text from a file often ends with a line break, and Compose and Helm set empty variables. */
export function variable(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

const OF_CONNECTION = { url: 'FLIPT_URL', environment: 'FLIPT_ENVIRONMENT', reference: 'FLIPT_REFERENCE' };
const OF_PROVIDER = { namespace: 'FLIPT_NAMESPACE', evaluation: 'FLIPT_EVALUATION' };

function withVariables(
  options: unknown,
  env: Environment,
  variables: Readonly<Record<string, string>>,
  owner: string,
) {
  // The check says what is wrong.
  if (!isPlainObject(options)) return { options, nameOf: undefined };
  const given = defined(options);
  const texts: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(variables).map(([option, name]) => [option, variable(env, name)]),
  );
  const credentials = 'auth' in given || hasAuthorization(given) ? undefined : authOf(env, owner);
  const fromEnvironment = defined({ ...texts, auth: credentials?.auth });
  const nameOf = (path: string): string => {
    if (path.startsWith('auth.') && credentials !== undefined) return credentials.variable;
    return path in given ? path : (variables[path] ?? path);
  };
  return { options: { ...fromEnvironment, ...given }, nameOf };
}

const CREDENTIALS = Object.keys(FORM_OF_VARIABLE);
export const CREDENTIAL_VARIABLES = alternatives(CREDENTIALS);

function authOf(env: Environment, owner: string) {
  const [name, ...others] = CREDENTIALS.filter((one) => variable(env, one) !== undefined);
  if (name === undefined) return undefined;
  if (others.length > 0) {
    const all = [name, ...others];
    throw new TypeError(`${owner}: ${all.join(' and ')}: expected one of them, got ${all.length}`);
  }
  const text = variable(env, name);
  // Its value is not shown: it may be a token.
  if (name === 'FLIPT_AUTH' && text !== 'kubernetes')
    throw new TypeError(`${owner}: FLIPT_AUTH: expected kubernetes, got other text`);
  const value = name === 'FLIPT_AUTH' ? true : text;
  return { variable: name, auth: { [FORM_OF_VARIABLE[name] ?? '']: value } };
}

function hasAuthorization({ headers = {} }: { readonly headers?: unknown }): boolean {
  return isRecord(headers) && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

function credentialsAdvice(
  auth: AuthOptions | undefined,
  headers: Readonly<Record<string, string>>,
  env: Environment,
): string {
  if (auth !== undefined) return 'check the option auth';
  const named = hasAuthorization({ headers }) ? undefined : CREDENTIALS.find((name) => variable(env, name));
  if (named !== undefined) return `check ${named}`;
  if (Object.keys(headers).some(isCredentialName)) return 'check the option headers';
  const missing = `no credentials are configured (auth, ${CREDENTIAL_VARIABLES})`;
  const misspelt = Object.keys(env).filter((name) => env[name] && looksLikeCredential(name));
  if (misspelt.length === 0) return missing;
  return `${missing}; these variables are not read: ${misspelt.slice(0, 3).map(unsteered).join(', ')}`;
}

/** Not those that Flipt itself or the embedded service reads. */
function looksLikeCredential(name: string): boolean {
  const isKnown = CREDENTIALS.includes(name) || /^FLIPT_(?:BOOTSTRAP_TOKEN$|AUTHENTICATION_)/.test(name);
  return !isKnown && /^FLIPT_.*(?:TOKEN|JWT|AUTH|API_?KEY|CREDENTIAL)/i.test(name);
}
