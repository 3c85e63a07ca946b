import * as v from 'valibot';

export const isWebAddress = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Whether a value is a URL. It may be a URL of another realm, such as a test runner's. */
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
  // This is the form in which the address is sent. An address in this form has no characters that would steer a
  // terminal if a message names it.
  v.transform((text) => withoutSlashes(new URL(text).href)),
);

/** A regular expression would take quadratic time for a long row of slashes. */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith('/', end)) end--;
  return url.slice(0, end);
}

/**
 * A part of an address that is longer than this may be a token. The length is checked apart from the expression,
 * because the test that the expression is fast would take minutes with counted repetitions.
 */
const LONGEST_PART = 30;
const HOST = String.raw`(?:[a-z\d-]+(?:\.[a-z\d-]+)*|\[[\da-f:.]+\])`;
const BARE_ADDRESS = new RegExp(
  String.raw`^(?:[a-z]{1,10}://${HOST}(?::\d{1,5})?|${HOST}:\d{1,5}|localhost)/?$`,
  'i',
);

/**
 * Whether the text is only a host, with a scheme or a port. Messages show only such text: any other may hold a
 * password, or be a token that was given as `url` by mistake.
 */
export const isBareAddress = (text: string) =>
  BARE_ADDRESS.test(text) && text.split(/[/:.]/).every((part) => part.length <= LONGEST_PART);

/**
 * Whether the text is only the name of a domain. A token with dots in it has longer parts, capitals, or no letters at
 * its end.
 */
function isDomain(text: string): boolean {
  const parts = text.replace(/\/$/, '').split('.');
  const isPart = (part: string) => part.length <= LONGEST_PART && /^[a-z\d-]+$/.test(part);
  return parts.length > 1 && parts.every(isPart) && /^[a-z]{2,}$/.test(parts.at(-1) ?? '');
}

/**
 * Says what to write instead of an address without a scheme; returns `undefined` if that cannot be guessed. The name of
 * a domain gets the scheme `ofDomain`.
 */
export function addressHint(given: unknown, ofDomain = 'https:'): string | undefined {
  if (typeof given !== 'string' || given.includes('://')) return undefined;
  if (isDomain(given)) return `did you mean "${ofDomain}//${given}"?`;
  return isBareAddress(given) ? `did you mean "http://${given}"?` : undefined;
}
