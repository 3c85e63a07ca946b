import * as v from 'valibot';
import { LARGEST_TIMER_MS } from '../clock.js';
import { isConnectionHeader, isHeaderName, isHeaderText } from '../text/header.js';
import { isPlainObject } from '../text/describe.js';

/*
 * The shape of the options. A message here is what was expected;
 * `complaint.ts` puts the option's name before it and what was given behind it.
 */

/** The cache makes room for all of its entries at once. */
const MOST_ENTRIES = 2 ** 24;

const plain = <S extends v.GenericSchema>(schema: S, expected: string) =>
  v.lazy((given) => (isPlainObject(given) ? schema : v.never(expected)));
const members = <E extends v.ObjectEntries>(entries: E, expected: string) => {
  const known = Object.keys(entries).join(', ');
  return plain(
    v.strictObject(entries, (issue) => (issue.expected === 'never' ? known : expected)),
    expected,
  );
};

const whole = (least: number, unit: string, most = Number.MAX_SAFE_INTEGER) => {
  const expected = `${unit} >= ${least}`;
  return v.optional(
    v.pipe(
      v.number(expected),
      v.finite(expected),
      v.integer(`a whole number of ${expected}`),
      v.minValue(least, expected),
      v.maxValue(most, `${unit} <= ${most}`),
    ),
  );
};
const milliseconds = (least: number) =>
  v.optional(
    v.pipe(
      v.number(`milliseconds >= ${least}`),
      v.check((ms) => ms >= least, `milliseconds >= ${least}`),
      v.maxValue(LARGEST_TIMER_MS, `milliseconds <= ${LARGEST_TIMER_MS}`),
    ),
  );

const headerText = (expected: string) =>
  v.pipe(
    v.string(expected),
    v.check(isHeaderText, `${expected} without line breaks or characters beyond Latin-1`),
  );
const filled = (expected: string) => v.pipe(headerText(expected), v.nonEmpty(expected));
/** Sent behind Bearer or JWT, which does not belong into it. */
const token = (expected: string) =>
  v.pipe(
    filled(expected),
    v.check((value) => !value.includes(' '), `${expected} alone, without a space`),
  );
const text = (expected: string) => v.pipe(v.string(expected), v.nonEmpty(expected));
const callable = (expected: string) =>
  v.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', expected);

const HEADERS = 'an object of header names and values';
const headerName = v.pipe(
  v.string(),
  v.check(isHeaderName, 'a header name'),
  v.check((name) => !isConnectionHeader(name), "a header that is not the connection's own"),
);
const headers = plain(v.record(headerName, headerText('text'), HEADERS), HEADERS);

const isWebAddress = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
/** undici decodes it, and would throw without a word of whose it is. */
const hasReadableUser = (value: string) => {
  if (!URL.canParse(value)) return true;
  const { username, password } = new URL(value);
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
};

const url = v.pipe(
  v.string('an http: or https: address'),
  v.check((value) => /^https?:/i.test(value), 'an address that begins with http: or https:'),
  v.check(isWebAddress, 'an http: or https: address'),
  v.check((value) => !/[?#]/.test(value), 'an address without query and fragment'),
  v.check((value) => {
    const { username, password } = new URL(value);
    return username === '' && password === '';
  }, 'an address without user name and password (use auth)'),
);

const AUTH = '{ token }, { jwt }, { tokenFile } or { headers }, one of them';
const auth = v.pipe(
  members(
    {
      token: v.optional(token('a token')),
      jwt: v.optional(token('a JSON Web Token')),
      tokenFile: v.optional(text('the path of a file')),
      headers: v.optional(callable('a function that returns headers')),
    },
    AUTH,
  ),
  v.check((given) => Object.values(given).filter((value) => value !== undefined).length === 1, AUTH),
);

const PEM = 'PEM as text (-----BEGIN …) or bytes, not the path of a file';
const pem = v.custom<string | Uint8Array>(
  (value) => (typeof value === 'string' ? value.includes('-----BEGIN ') : value instanceof Uint8Array),
  PEM,
);
const PROXY = "'env' or an http: or https: address";
const http = v.pipe(
  members(
    {
      timeoutMs: milliseconds(1),
      retries: whole(0, 'attempts'),
      dispatcher: v.optional(
        v.custom<object>(
          (value) =>
            typeof value === 'object' &&
            value !== null &&
            'request' in value &&
            typeof value.request === 'function',
          'an undici dispatcher',
        ),
      ),
      proxy: v.optional(
        v.pipe(
          v.string(PROXY),
          v.check((value) => value === 'env' || isWebAddress(value), PROXY),
          v.check(hasReadableUser, 'an address whose user and password are percent-encoded'),
        ),
      ),
      tls: v.optional(
        members(
          {
            ca: v.optional(v.union([pem, v.array(pem)], `${PEM}, or a list of them`)),
            cert: v.optional(pem),
            key: v.optional(pem),
            servername: v.optional(text('a host name')),
          },
          '{ ca, cert, key, servername }',
        ),
      ),
      socketPath: v.optional(text('the path of a Unix domain socket')),
    },
    'an object of options',
  ),
  v.check(
    (given) => given.dispatcher === undefined || (given.proxy ?? given.tls ?? given.socketPath) === undefined,
    'either dispatcher, or proxy, tls and socketPath',
  ),
  v.check(
    (given) => given.proxy === undefined || given.socketPath === undefined,
    'either proxy or socketPath',
  ),
);

const logger = v.custom<object>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    (['error', 'warn', 'info', 'debug'] as const).every(
      (level) => typeof (value as Record<string, unknown>)[level] === 'function',
    ),
  'an object with the functions error, warn, info and debug',
);

const connection = {
  url: v.optional(url),
  auth: v.optional(auth),
  environment: v.optional(filled('the name of an environment')),
  reference: v.optional(text('the name of a revision')),
  headers: v.optional(headers),
  http: v.optional(http),
  logger: v.optional(logger),
};

const names = v.array(v.string('the name of an attribute'), 'a list of attribute names');
const attributes = v.pipe(
  members({ only: v.optional(names), except: v.optional(names) }, '{ only: [names] } or { except: [names] }'),
  v.check(({ only, except }) => (only === undefined) !== (except === undefined), 'either only or except'),
);

const cache = members(
  {
    freshForMs: milliseconds(0),
    staleForMs: milliseconds(0),
    staleOnErrorForMs: milliseconds(0),
    negativeForMs: milliseconds(0),
    maxEntries: whole(1, 'entries', MOST_ENTRIES),
    maxBytes: whole(1, 'bytes'),
  },
  'false or an object of options',
);
const batch = members(
  {
    maxItems: whole(1, 'items'),
    maxBytes: whole(1, 'bytes'),
    maxConcurrent: whole(1, 'requests'),
    maxWaiting: whole(1, 'questions'),
  },
  'false or an object of options',
);
const breaker = members(
  { failures: whole(1, 'failures'), openForMs: milliseconds(1), maxOpenForMs: milliseconds(1) },
  'false or an object of options',
);
/** Not a union: its messages would lose the name of the option that is wrong. */
const falseOr = <S extends v.GenericSchema>(schema: S) =>
  v.optional(v.lazy((given) => (given === false ? v.literal(false) : schema)));

export const clientShape = members(connection, 'an object of options');

export const providerShape = members(
  {
    ...connection,
    namespace: v.optional(text('the key of a namespace')),
    targetingKey: v.optional(v.picklist(['optional', 'required'], "'optional' or 'required'")),
    attributes: v.optional(attributes),
    initTimeoutMs: milliseconds(1),
    deadlineMs: milliseconds(1),
    cache: falseOr(cache),
    batch: falseOr(batch),
    breaker: falseOr(breaker),
  },
  'an object of options',
);
