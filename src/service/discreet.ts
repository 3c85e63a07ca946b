import { isCredentialName } from './credential-name.js';

/** What is shorter is no secret, and would blot out half of an honest message. */
const SHORTEST_SECRET = 6;

type Headers = Readonly<Record<string, string>>;

/** Text from outside, without the credentials that were sent: a gateway's error page may show the whole request. */
export type Hide = (text: string) => string;

/** Blots out whatever `credentials` hold, and of the `other` headers what their names say to be credentials. */
export function hiding(credentials: Headers, other: Headers): Hide {
  return (text) =>
    secretsOf(credentials, other).reduce((shown, secret) => shown.replaceAll(secret, '[credential]'), text);
}

/** The longest first, for one may be a part of another. */
function secretsOf(credentials: Headers, other: Headers): readonly string[] {
  const named = Object.entries(other).filter(([name]) => isCredentialName(name));
  return [...Object.entries(credentials), ...named]
    .flatMap(([, value]) => [value, value.slice(value.lastIndexOf(' ') + 1)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, another) => another.length - one.length);
}
