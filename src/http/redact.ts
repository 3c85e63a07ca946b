import { isCredentialName } from '../text/header.js';

/** What is shorter is no secret, and would blot out half of an honest message. */
const SHORTEST_SECRET = 6;
/** Names of schemes before a credential, which many messages hold. */
const SCHEME = /^(?:bearer|basic|jwt|token|apikey)\s+/i;

type Headers = Readonly<Record<string, string>>;

/** Text from outside, without the credentials that were sent: a gateway's error page may show the whole request. */
export type Redact = (text: string) => string;

/**
 * Blots out whatever `credentials` hold, of the `other` headers what their names say to be credentials, and what goes
 * to proxies: each run of letters and digits by itself, since no escaping as in JSON, HTML or a URL changes those.
 */
export function redactor(credentials: Headers, other: Headers, ofProxies: readonly string[]): Redact {
  // Not before they are needed: most replies are answers, of which nothing is hidden.
  let secrets: readonly string[] | undefined;
  return (text) => {
    secrets ??= secretsOf([...valuesOf(credentials, other), ...ofProxies]);
    return secrets.reduce((shown, secret) => shown.replaceAll(secret, '[credential]'), text);
  };
}

function valuesOf(credentials: Headers, other: Headers): readonly string[] {
  const named = Object.entries(other).filter(([name]) => isCredentialName(name));
  return [...Object.entries(credentials), ...named].map(([, value]) => value);
}

/** The longest first, for one may be a part of another. */
function secretsOf(values: readonly string[]): readonly string[] {
  const secrets = values
    .map((value) => value.replace(SCHEME, '').trim())
    .flatMap((value) => [value, ...(value.match(/[a-z\d]+/gi) ?? [])])
    .filter((secret) => secret.length >= SHORTEST_SECRET);
  return [...new Set(secrets)].sort((one, another) => another.length - one.length);
}
