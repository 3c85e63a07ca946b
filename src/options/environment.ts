import * as v from 'valibot';
import { isCredentialName } from '../base/text/header.js';
import { alternatives, isRecord, unsteered } from '../base/text/describe.js';
import { authOf, CREDENTIALS, FORM_OF_VARIABLE, type AuthOptions } from './auth-options.js';
import { checkOptions, type OptionRules } from './check-options.js';
import { set } from './value-rules.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the value of an environment variable, or `undefined` if the variable is empty or not set. White space around
 * the value is removed, because text from a file often ends with a line break.
 */
export function variable(env: Environment, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

/** The text that lists the environment variables for credentials, for messages and for the help of the command. */
export const CREDENTIAL_VARIABLES = alternatives(CREDENTIALS);

type Variables = ReadonlyMap<string, string>;

/** Maps the path of an option to the name of the environment variable that can set the option. */
const VARIABLES: Variables = new Map([
  ['url', 'FLIPT_URL'],
  ['namespace', 'FLIPT_NAMESPACE'],
  ['environment', 'FLIPT_ENVIRONMENT'],
  ['reference', 'FLIPT_REFERENCE'],
  ['evaluation', 'FLIPT_EVALUATION'],
]);

const VARIABLES_OF_AUTH: Variables = new Map(
  Object.entries(FORM_OF_VARIABLE).map(([name, form]) => [`auth.${form}`, name]),
);

/**
 * Checks options and environment variables, and returns all options with their defaults filled in. If an option and its
 * environment variable are both set, the option wins. If a group of options is `false`, variables for its members have
 * no effect. If the option `headers` has an Authorization, the variables for credentials have no effect. An empty
 * variable counts as not set. A variable that has an effect is checked like its option.
 */
export function withVariables<Shape extends v.GenericSchema<unknown, object> & { readonly entries: object }>(
  rules: OptionRules<Shape>,
  options: object,
  env: Environment,
  variables: Variables = VARIABLES,
): v.InferOutput<Shape> {
  const checked = checkOptions(rules, options);
  const names = Object.keys(rules.shape.entries);
  const given = set(Object.fromEntries(names.map((name) => [name, Reflect.get(options, name)])));
  const hasAuth = 'auth' in given || hasAuthorization(options);
  const auth = hasAuth ? undefined : authOf(rules.owner, (name) => variable(env, name));
  let all = auth === undefined ? given : { ...given, auth };
  for (const [option, name] of variables) {
    const path = option.split('.');
    const text = variable(env, name);
    if (text === undefined || !names.some((known) => known === path[0])) continue;
    const fits = (value: unknown) => v.is(rules.shape, withMember(given, path, value));
    all = withMember(all, path, [text, unquoted(text)].find(fits) ?? text);
  }
  // The options without the environment variables have passed their check, so a wrong value at the path of a variable
  // comes from the variable.
  const nameOf = (path: string) => variables.get(path) ?? VARIABLES_OF_AUTH.get(path) ?? path;
  const result = all === given ? checked : checkOptions(rules, all, nameOf);
  const members = names.map((name): [string, unknown] => [name, Reflect.get(result, name)]);
  return { ...result, ...Object.fromEntries(members) };
}

/** Returns the number or the boolean that a text spells, or the text itself if it spells no number or boolean. */
function unquoted(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return Number.isNaN(Number(text)) ? text : Number(text);
}

/**
 * Returns the options with a value added at a path. If the options already have a value at the path, or if a group on
 * the path is `false`, the function returns the options unchanged.
 */
function withMember(options: object, [name = '', ...rest]: readonly string[], value: unknown): object {
  const given: unknown = Reflect.get(options, name);
  if (given === false || (given !== undefined && rest.length === 0)) return options;
  const member = rest.length === 0 ? value : withMember(isRecord(given) ? given : {}, rest, value);
  return { ...options, [name]: member };
}

/**
 * Returns whether the option `headers` has an Authorization. If `headers` has an Authorization, the package does not
 * read the environment variables for credentials, because the credentials of these variables would replace that header.
 */
function hasAuthorization({ headers = {} }: { readonly headers?: object | undefined }): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

/**
 * Returns advice about what to check if Flipt answers with 401. The advice names the option or the environment variable
 * of the credentials, or says that no credentials are configured.
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
 * Returns whether the name of a variable looks like a misspelt name of a variable for credentials. The function returns
 * false for variables that Flipt itself reads, such as FLIPT_AUTHENTICATION_REQUIRED, and for variables that this
 * package reads.
 */
function looksLikeCredential(name: string): boolean {
  const isKnown = CREDENTIALS.includes(name) || /^FLIPT_(?:BOOTSTRAP_TOKEN$|AUTHENTICATION_)/.test(name);
  return !isKnown && /^FLIPT_.*(?:TOKEN|JWT|AUTH|API_?KEY|CREDENTIAL)/i.test(name);
}
