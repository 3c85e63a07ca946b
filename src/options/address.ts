import * as v from 'valibot';

export const isWebAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/**
 * Returns whether a value is a `URL`. A `URL` of another realm counts, too, because some test runners have a realm of
 * their own.
 */
const isUrl = (value: unknown) => Object.prototype.toString.call(value) === '[object URL]';

/**
 * Checks the base address of Flipt, which is text or a `URL`. The result is the normalised address as text, without a
 * slash at its end.
 */
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
  // `URL` percent-encodes special characters, so that an error message with the address cannot steer a terminal.
  v.transform((text) => withoutSlashes(new URL(text).href)),
);

/**
 * Removes the slashes at the end of an address. A regular expression would take quadratic time for a long row of
 * slashes.
 */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}

/** If a part of an address has more characters than this, the part might be a token. */
const LONGEST_PART = 30;
const HOST = String.raw`(?:[a-z\d-]+(?:\.[a-z\d-]+)*|\[[\da-f:.]+\])`;
const BARE_ADDRESS = new RegExp(
  String.raw`^(?:[a-z]{1,10}://${HOST}(?::\d{1,5})?|${HOST}:\d{1,5}|localhost)/?$`,
  'i',
);

/**
 * Returns whether the text is only a host with a scheme or a port, or only `localhost`. An error message about the
 * option `url` shows the given text after the word `got` only if `isBareAddress` returns `true`, because any other text
 * might contain a password, or might be a token that was given as `url` by mistake.
 */
export const isBareAddress = (text: string) =>
  BARE_ADDRESS.test(text) && text.split(/[/:.]/).every((part) => part.length <= LONGEST_PART);

/**
 * Returns whether the text is only the name of a domain. A token with dots hardly ever counts as a domain, because
 * tokens usually have longer parts, capital letters, or a last part with other characters than letters.
 */
function isDomain(text: string): boolean {
  const parts = text.replace(/\/$/, '').split('.');
  const isPart = (part: string) => part.length <= LONGEST_PART && /^[a-z\d-]+$/.test(part);
  return parts.length > 1 && parts.every(isPart) && /^[a-z]{2,}$/.test(parts.at(-1) ?? '');
}

/**
 * Returns a hint for a user who has given an address without a scheme, or `undefined` if the right address cannot be
 * guessed. If the user has given the name of a domain, the address in the hint has the scheme `ofDomain`.
 */
export function addressHint(given: unknown, ofDomain = 'https:'): string | undefined {
  if (typeof given !== 'string' || given.includes('://')) return undefined;
  if (isDomain(given)) return `did you mean "${ofDomain}//${given}"?`;
  return isBareAddress(given) ? `did you mean "http://${given}"?` : undefined;
}
