import * as v from 'valibot';
import { isConnectionHeader, isHeaderName, isHeaderText } from './header-text.js';
import { quoted } from './quoted.js';

/*
 * The shape of the options. A message here is what was expected;
 * `complaint` puts the option's name before it and what was given behind it.
 */

const LARGEST_TIMER_MS = 2_147_483_647;
/** The cache makes room for all of its entries at once. */
const MOST_ENTRIES = 2 ** 24;

/** JavaScript, and the schema by itself, takes a list for an object. */
const noList = <S extends v.GenericSchema>(schema: S, expected: string) =>
  v.lazy((given) => (Array.isArray(given) ? v.never(expected) : schema));
const members = <E extends v.ObjectEntries>(entries: E, expected: string) =>
  noList(v.strictObject(entries, expected), expected);

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
const text = (expected: string) => v.pipe(v.string(expected), v.nonEmpty(expected));
const callable = (expected: string) =>
  v.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', expected);

const HEADERS = 'an object of header names and values';
const headerName = v.pipe(
  v.string(),
  v.check(isHeaderName, 'a header name'),
  v.check((name) => !isConnectionHeader(name), "a header that is not the connection's own"),
);
const headers = noList(v.record(headerName, headerText('text'), HEADERS), HEADERS);

const isWebAddress = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const url = v.pipe(
  v.string('an http: or https: address'),
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
      token: v.optional(filled('a token')),
      jwt: v.optional(filled('a JSON Web Token')),
      tokenFile: v.optional(text('the path of a file')),
      headers: v.optional(callable('a function that returns headers')),
    },
    AUTH,
  ),
  v.check((given) => Object.values(given).filter((value) => value !== undefined).length === 1, AUTH),
);

const pem = v.custom<string | Uint8Array>(
  (value) => typeof value === 'string' || value instanceof Uint8Array,
  'PEM as text or bytes',
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
        ),
      ),
      tls: v.optional(
        members(
          {
            ca: v.optional(v.union([pem, v.array(pem)], 'PEM as text or bytes, or a list of them')),
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

/** What the first thing wrong is: `cache.freshForMs: expected milliseconds >= 0, got -5`; `undefined` if all is well. */
export function complaint(
  shape: typeof clientShape | typeof providerShape,
  given: unknown,
): string | undefined {
  const checked = v.safeParse<v.GenericSchema>(shape, given, { abortEarly: true });
  const issue = checked.issues?.[0];
  if (issue === undefined) return undefined;
  const path = (issue.path ?? []).map(({ key }) => String(key)).join('.') || 'options';
  if (issue.type === 'strict_object' && issue.expected === 'never') return `${path}: unknown option`;
  return `${path}: expected ${issue.message}, got ${shown(path, issue.input)}`;
}

/** Never shows a credential: of what stands under these names only the kind is told. */
function shown(path: string, given: unknown): string {
  switch (typeof given) {
    case 'string':
      if (given === '') return "''";
      return /^(auth|headers|url|http\.(tls|proxy))\b/.test(path) ? 'a string' : quoted(given.slice(0, 100));
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return String(given);
    case 'object':
      if (given === null) return 'null';
      return Array.isArray(given) ? 'a list' : 'an object';
    default:
      return `a ${typeof given}`;
  }
}
