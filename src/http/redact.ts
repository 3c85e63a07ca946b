import { isCredentialName } from '../base/text/header.js';

/** A text that is shorter than this is hardly a secret, and redacting it would damage harmless messages. */
const SHORTEST_SECRET = 6;
/**
 * This pattern matches the scheme before a credential; the scheme is not redacted, because many messages contain its
 * name.
 */
const SCHEME = /^(?:bearer|basic|jwt|token|apikey)\s+/i;

type Headers = Readonly<Record<string, string>>;

/**
 * Replaces the credentials of a request in a text, such as the error page of a gateway that shows the whole request.
 */
export type Redact = (text: string) => string;

/**
 * Returns a function that redacts every secret of at least six characters: the values in `credentials`, the values in
 * `other` whose header's name suggests a credential, and the texts in `further`. The list `further` holds the proxies'
 * credentials, and the secrets in the body of the request. The returned function also redacts the password in a header
 * for HTTP Basic. The returned function also redacts each run of six or more letters and digits in a secret, because
 * escaping in JSON, HTML or a URL does not change letters and digits.
 */
export function redactor(credentials: Headers, other: Headers, further: readonly string[]): Redact {
  // The secrets are computed only when a text is redacted, because in most replies nothing is redacted.
  let secrets: readonly string[] | undefined;
  return (text) => {
    secrets ??= secretsOf([...Object.values(credentials), ...credentialsIn(other), ...further]);
    return secrets.reduce((shown, secret) => shown.replaceAll(secret, '[credential]'), text);
  };
}

function credentialsIn(headers: Headers): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) => (isCredentialName(name) ? [value] : []));
}

/** Returns the password in the value of a header for HTTP Basic, or `''` for any other value. */
function passwordOf(value: string): string {
  const [, encoded = ''] = /^basic\s+(\S+)$/i.exec(value.trim()) ?? [];
  return Buffer.from(encoded, 'base64')
    .toString()
    .replace(/^[^:]*:?/, '');
}

/** The longest secrets come first, because one secret can be a part of another secret. */
function secretsOf(values: readonly string[]): readonly string[] {
  const secrets = values
    .flatMap((value) => [value.replace(SCHEME, '').trim(), passwordOf(value)])
    .flatMap((value) => [value, ...(value.match(/[a-z\d]+/gi) ?? [])])
    .filter((secret) => secret.length >= SHORTEST_SECRET);
  return [...new Set(secrets)].sort((one, another) => another.length - one.length);
}
