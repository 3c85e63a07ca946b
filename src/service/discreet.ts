import { isCredentialName } from './credential-name.js';
import { unescaped } from './unescaped.js';

/** What is shorter is no secret, and would blot out half of an honest message. */
const SHORTEST_SECRET = 6;
/** So often may an escape be escaped itself, as in JSON within JSON within a page. */
const DEEPEST_ESCAPE = 4;
/** What is longer is not searched, which would take long, and so not shown. */
const LONGEST_SHOWN = 32 * 1024;

const CREDENTIAL = '[credential]';

type Headers = Readonly<Record<string, string>>;

/** Text from outside, without the credentials that were sent: a gateway's error page may show the whole request. */
export type Hide = (text: string) => string;

/**
 * Blots out whatever `credentials` hold, of the `other` headers what their names say to be credentials, and what goes
 * to proxies. Text that holds one in escapes is shown without escapes.
 */
export function hiding(credentials: Headers, other: Headers, ofProxies: readonly string[]): Hide {
  // Not before they are needed: most replies are answers, of which nothing is hidden.
  let secrets: readonly string[] | undefined;
  return (text) => {
    secrets ??= secretsOf([...valuesOf(credentials, other), ...ofProxies]);
    return secrets.length === 0 ? text : hidden(text, secrets);
  };
}

/** The same for what a service sent as JSON: a reviver, which gets each value after all that it holds. */
export function hidingReviver(hide: Hide): (name: string, value: unknown) => unknown {
  return (_, value) => {
    if (typeof value === 'string') return hide(value);
    // A credential may well be a number.
    if (typeof value === 'number') return hide(String(value)) === String(value) ? value : CREDENTIAL;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [hide(name), member as unknown]));
  };
}

function hidden(text: string, secrets: readonly string[]): string {
  if (text.length > LONGEST_SHOWN) return `[${text.length} characters, too many to look for credentials]`;
  let shown = blotted(text, secrets);
  let read = shown;
  for (let depth = 0; depth <= DEEPEST_ESCAPE; depth++) {
    const plainer = unescaped(read);
    if (plainer === read) return shown;
    read = blotted(plainer, secrets);
    if (read !== plainer) shown = read;
  }
  // Only who hides something writes like this.
  return CREDENTIAL;
}

function blotted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, CREDENTIAL), text);
}

function valuesOf(credentials: Headers, other: Headers): readonly string[] {
  const named = Object.entries(other).filter(([name]) => isCredentialName(name));
  return [...Object.entries(credentials), ...named].map(([, value]) => value);
}

/** The longest first, for one may be a part of another. */
function secretsOf(values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .flatMap((secret) => [secret, plainest(secret)])
    .sort((one, another) => another.length - one.length);
}

/** What unescaping the text around it makes of a secret that looks escaped by itself, as a cookie may. */
function plainest(secret: string): string {
  const plainer = unescaped(secret);
  return plainer === secret ? secret : plainest(plainer);
}
