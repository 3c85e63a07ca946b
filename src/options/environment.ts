import type * as v from 'valibot';
import { isCredentialName } from '../base/text/header.js';
import { alternatives, unsteered } from '../base/text/describe.js';
import { authOf, CREDENTIALS, FORM_OF_VARIABLE, type AuthOptions } from './auth-options.js';
import { checkOptions, type OptionRules } from './check-options.js';
import { set } from './value-rules.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The value of a variable; `undefined` if it is empty. Without a line break at the end, which text from a file often
 * has.
 */
export function variable(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** For messages and help. */
export const CREDENTIAL_VARIABLES = alternatives(CREDENTIALS);

/** The variable of each option that has one. */
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['url', 'FLIPT_URL'],
  ['namespace', 'FLIPT_NAMESPACE'],
  ['environment', 'FLIPT_ENVIRONMENT'],
  ['reference', 'FLIPT_REFERENCE'],
  ['evaluation', 'FLIPT_EVALUATION'],
  ...Object.entries(FORM_OF_VARIABLE).map(([name, form]) => [`auth.${form}`, name] as const),
]);

/** The variable that sets the option at a path, or the path itself. */
export function variableOf(path: string): string {
  return VARIABLES.get(path) ?? path;
}

/**
 * Options win over variables. An empty variable counts as not set. Any other is checked like an option. The result names
 * every option.
 */
export function withVariables<Shape extends v.GenericSchema<unknown, object> & { readonly entries: object }>(
  rules: OptionRules<Shape>,
  options: object,
  env: Environment,
): v.InferOutput<Shape> {
  const checked = checkOptions(rules, options);
  const unset = Object.keys(rules.shape.entries).filter((name) => Reflect.get(options, name) === undefined);
  const ofVariables = checkOptions(rules, fromVariables(unset, rules.owner, env), variableOf);
  const rest = unset.map((name): [string, unknown] => [name, Reflect.get(ofVariables, name)]);
  return { ...checked, ...Object.fromEntries(rest) };
}

/** What the variables of these options hold, as far as they are set. Throws a TypeError about the credentials. */
function fromVariables(options: readonly string[], owner: string, env: Environment): object {
  const read = [...VARIABLES].filter(([option]) => options.includes(option));
  const auth = options.includes('auth') ? authOf(owner, (name) => variable(env, name)) : undefined;
  return set({ ...Object.fromEntries(read.map(([option, name]) => [option, variable(env, name)])), auth });
}

/** What to check when the service rejects the credentials of the options or of the environment, or asks for some. */
export function credentialsAdvice(
  auth: AuthOptions | undefined,
  headers: Readonly<Record<string, string>>,
  env: Environment,
): string {
  const source = auth === undefined ? CREDENTIALS.find((name) => variable(env, name)) : 'the option auth';
  if (source !== undefined) return `check ${source}`;
  if (Object.keys(headers).some(isCredentialName)) return 'check the option headers';
  const missing = `no credentials are configured (auth, ${CREDENTIAL_VARIABLES})`;
  const misspelt = Object.keys(env).filter((name) => env[name] && looksLikeCredential(name));
  if (misspelt.length === 0) return missing;
  return `${missing}; not read: ${misspelt.slice(0, 3).map(unsteered).join(', ')}`;
}

/**
 * Without the variables of the service itself, such as FLIPT_AUTHENTICATION_REQUIRED, and without those that are read.
 */
function looksLikeCredential(name: string): boolean {
  const isKnown = CREDENTIALS.includes(name) || /^FLIPT_(?:BOOTSTRAP_TOKEN$|AUTHENTICATION_)/.test(name);
  return !isKnown && /^FLIPT_.*(?:TOKEN|JWT|AUTH|API_?KEY|CREDENTIAL)/i.test(name);
}
