import * as v from 'valibot';

export const isWebAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Whether a value is a URL. The value can be a URL that was made in another realm, such as that of a test runner. */
const isUrl = (value: unknown) => Object.prototype.toString.call(value) === '[object URL]';

/**
 * Checks the base address of the service, which is text or a `URL`. Returns the address in the form in which it is
 * sent, without a slash at its end.
 */
export const address = v.pipe(
  v.custom<string | URL>((value) => typeof value === 'string' || isUrl(value), 'an http: or https: address'),
  v.transform(String),
  v.check((text) => /^https?:/i.test(text), 'an address that begins with http: or https:'),
  v.check(isWebAddress, 'an http: or https: address'),
  v.check((text) => !/[?#]/.test(text), 'an address without query and fragment'),
  v.check((text) => {
    const { username, password } = new URL(text);
    return username === '' && password === '';
  }, 'an address without user name and password (use auth)'),
  // The address gets the form in which it is sent. A message that names the address in this form cannot steer a
  // terminal, because special characters are percent-encoded.
  v.transform((text) => withoutSlashes(new URL(text).href)),
);

/**
 * Removes the slashes at the end of an address. The function uses no regular expression, because one would take
 * quadratic time for a long row of slashes.
 */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}

/**
 * A part of an address that has more characters than this might be a token. The regular expression below does not check
 * this length: with counted repetitions in it, the test that the regular expression is fast would take minutes.
 */
const LONGEST_PART = 30;
const HOST = String.raw`(?:[a-z\d-]+(?:\.[a-z\d-]+)*|\[[\da-f:.]+\])`;
const BARE_ADDRESS = new RegExp(
  String.raw`^(?:[a-z]{1,10}://${HOST}(?::\d{1,5})?|${HOST}:\d{1,5}|localhost)/?$`,
  'i',
);

/**
 * Whether the text is only a host, with a scheme or a port. Messages show a text only if it is a host, because any
 * other text might contain a password, or might be a token that was given as `url` by mistake.
 */
export const isBareAddress = (text: string) =>
  BARE_ADDRESS.test(text) && text.split(/[/:.]/).every((part) => part.length <= LONGEST_PART);

/**
 * Whether the text is only the name of a domain. A token with dots in it is not taken for a domain, because it has
 * longer parts or capitals, or because its last part does not consist of letters.
 */
function isDomain(text: string): boolean {
  const parts = text.replace(/\/$/, '').split('.');
  const isPart = (part: string) => part.length <= LONGEST_PART && /^[a-z\d-]+$/.test(part);
  return parts.length > 1 && parts.every(isPart) && /^[a-z]{2,}$/.test(parts.at(-1) ?? '');
}

/**
 * Returns a hint about what to write instead of an address without a scheme, or `undefined` if the right address cannot
 * be guessed. In the hint, the name of a domain gets the scheme `ofDomain`.
 */
export function addressHint(given: unknown, ofDomain = 'https:'): string | undefined {
  if (typeof given !== 'string' || given.includes('://')) return undefined;
  if (isDomain(given)) return `did you mean "${ofDomain}//${given}"?`;
  return isBareAddress(given) ? `did you mean "http://${given}"?` : undefined;
}
