import * as v from 'valibot';

export const isWebAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Also of another realm, as some test runners have. */
const isUrl = (value: unknown) => Object.prototype.toString.call(value) === '[object URL]';

/** Without a slash at its end. */
export const address = v.pipe(
  v.custom<string | URL>((value) => typeof value === 'string' || isUrl(value), 'an http: or https: address'),
  v.transform(String),
  v.check((text) => text.isWellFormed(), 'an address in well-formed Unicode'),
  v.check((text) => /^https?:/i.test(text), 'an address that begins with http: or https:'),
  v.check(isWebAddress, 'an http: or https: address'),
  v.check((text) => !/[?#]/.test(text), 'an address without query and fragment'),
  v.check((text) => {
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }, 'an address without user name and password (use auth)'),
  // Percent-encoded, so that a message with the address cannot steer a terminal.
  v.transform((text) => withoutSlashes(new URL(text).href)),
);

/** A regular expression would take quadratic time for a long row of slashes. */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}

/** An IPv6 address can have brackets. An IPv4 address must have its usual form, which `URL` makes of all others. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(host);
}

/**
 * As `.` and `..` do, and `a/..` where a gateway decodes before it splits. Encoding does not help: `fetch` reads
 * `%2E%2E` as `..`.
 */
export const leadsElsewhere = (part: string) => part.split(/[/\\]/).some((name) => /^\.{1,2}$/.test(name));
