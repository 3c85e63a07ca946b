import type * as v from 'valibot';
import { isCredentialName } from '../base/text/header.js';
import { alternatives, unsteered } from '../base/text/describe.js';
import { authOf, CREDENTIALS, FORM_OF_VARIABLE, type AuthOptions } from './auth-options.js';
import { checkOptions, type OptionRules } from './check-options.js';
import { set } from './value-rules.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the value of a variable; `undefined` if it is not set or empty. White space around it is removed, because
 * text from a file often ends with a line break.
 */
export function variable(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** The names of the variables for credentials, as messages and the help of the command list them. */
export const CREDENTIAL_VARIABLES = alternatives(CREDENTIALS);

/** The variable of each option that has one, by the option's path. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['url', 'FLIPT_URL'],
  ['namespace', 'FLIPT_NAMESPACE'],
  ['environment', 'FLIPT_ENVIRONMENT'],
  ['reference', 'FLIPT_REFERENCE'],
  ['evaluation', 'FLIPT_EVALUATION'],
  ...Object.entries(FORM_OF_VARIABLE).map(([name, form]) => [`auth.${form}`, name] as const),
]);

/** Returns the name of the variable that sets the option at a path. For an option without one, it returns the path. */
export function variableOf(path: string): string {
  return VARIABLES.get(path) ?? path;
}

/**
 * Checks options and variables. An option wins over a variable; so does a header Authorization. An empty variable counts as not set; any other is
 * checked like an option. The result has a member for every option.
 */
export function withVariables<Shape extends v.GenericSchema<unknown, object> & { readonly entries: object }>(
  rules: OptionRules<Shape>,
  options: object,
  env: Environment,
): v.InferOutput<Shape> {
  const checked = checkOptions(rules, options);
  const unset = Object.keys(rules.shape.entries).filter(
    (name) => Reflect.get(options, name) === undefined && !(name === 'auth' && hasAuthorization(options)),
  );
  const ofVariables = checkOptions(rules, fromVariables(unset, rules.owner, env), variableOf);
  const rest = unset.map((name): [string, unknown] => [name, Reflect.get(ofVariables, name)]);
  return { ...checked, ...Object.fromEntries(rest) };
}

/**
 * Whether the option `headers` has the header in which the variables for credentials send theirs. The variables are
 * then not read, because the option would lose against them.
 */
function hasAuthorization({ headers = {} }: { readonly headers?: object | undefined }): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/**
 * Returns the options that variables set, out of the given ones. Throws a TypeError if the variables for credentials
 * are wrong.
 */
function fromVariables(options: readonly string[], owner: string, env: Environment): object {
  const read = [...VARIABLES].filter(([option]) => options.includes(option));
  const auth = options.includes('auth') ? authOf(owner, (name) => variable(env, name)) : undefined;
  return set({ ...Object.fromEntries(read.map(([option, name]) => [option, variable(env, name)])), auth });
}

/**
 * Says what to check when Flipt rejects the credentials of the options or of the environment, or when it asks for some.
 */
export function credentialsAdvice(
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

/**
 * Whether a variable looks like a misspelt one for credentials. Variables that Flipt itself reads, such as
 * FLIPT_AUTHENTICATION_REQUIRED, and those that this package reads do not count.
 */
function looksLikeCredential(name: string): boolean {
  const isKnown = CREDENTIALS.includes(name) || /^FLIPT_(?:BOOTSTRAP_TOKEN$|AUTHENTICATION_)/.test(name);
  return !isKnown && /^FLIPT_.*(?:TOKEN|JWT|AUTH|API_?KEY|CREDENTIAL)/i.test(name);
}
