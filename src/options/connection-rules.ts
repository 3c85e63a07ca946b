import * as v from 'valibot';
import { isConnectionHeader, isHeaderName, isHeaderText } from '../text/header.js';
import { address, addressHint, isBareAddress, isWebAddress } from './address.js';
import type { OptionRules } from './check-options.js';
import { callable, filledText, having, members, milliseconds, plain, whole } from './option-shapes.js';

const headerText = (expected: string) =>
  v.pipe(
    v.string(expected),
    v.check(isHeaderText, `${expected} without line breaks or characters beyond Latin-1`),
  );
const filledHeader = (expected: string) => v.pipe(headerText(expected), v.nonEmpty(expected));
/** The token is sent after its scheme, Bearer or JWT, so it must not repeat that. */
const token = (expected: string) =>
  v.pipe(
    filledHeader(expected),
    v.check((value) => !value.includes(' '), `${expected} alone, without Bearer, JWT or a space`),
  );
const HEADERS = 'an object of header names and values';
const headerName = v.pipe(
  v.string(),
  v.check(isHeaderName, 'a header name without spaces and colons'),
  v.check((name) => !isConnectionHeader(name), "a header that is not the connection's own"),
);
const headers = plain(v.record(headerName, headerText('text'), HEADERS), HEADERS);

/** undici decodes the user, but its error would not say which option is wrong. */
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

const AUTH = '{ token }, { jwt }, { tokenFile }, { headers } or { kubernetes }, one of them';
const KUBERNETES = 'true or { tokenPath }';
const auth = v.pipe(
  members(
    {
      token: v.optional(token('a token')),
      jwt: v.optional(token('a JSON Web Token')),
      tokenFile: v.optional(filledText('the path of a file')),
      headers: v.optional(callable('a function that returns headers')),
      // Not a union, because a union's message would not name the wrong option.
      kubernetes: v.optional(
        v.lazy((given) =>
          typeof given === 'object'
            ? members({ tokenPath: v.optional(filledText('the path of a file')) }, KUBERNETES)
            : v.literal(true, KUBERNETES),
        ),
      ),
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
  members({
    timeoutMs: milliseconds(1),
    retries: whole(0, 'attempts'),
    dispatcher: v.optional(having(['request'], 'an undici dispatcher')),
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
          servername: v.optional(filledText('a host name')),
        },
        '{ ca, cert, key, servername }',
      ),
    ),
    socketPath: v.optional(filledText('the path of a Unix domain socket')),
  }),
  v.check(
    (given) => given.dispatcher === undefined || (given.proxy ?? given.tls ?? given.socketPath) === undefined,
    'either dispatcher, or proxy, tls and socketPath',
  ),
  v.check(
    (given) => given.proxy === undefined || given.socketPath === undefined,
    'either proxy or socketPath',
  ),
);

const logger = having(
  ['error', 'warn', 'info', 'debug'],
  'an object with the functions error, warn, info and debug',
);

const connectionOptions = {
  url: v.optional(address),
  auth: v.optional(auth),
  environment: v.optional(filledHeader('the name of an environment')),
  reference: v.optional(filledText('the name of a revision')),
  headers: v.optional(headers),
  http: v.optional(http),
  logger: v.optional(logger),
};

const HARMLESS =
  /^(namespace|environment|reference|targetingKey|attributes|initTimeoutMs|deadlineMs|cache|batch|breaker|watch|evaluation|snapshot|http\.(timeoutMs|retries|socketPath))\b/;

/** The rules for the options of a class that opens connections. `others` are the rules for its other options. */
export const connectionRules = (
  owner: string,
  others: Readonly<Record<string, v.GenericSchema>> = {},
): OptionRules => ({
  owner,
  shape: members({ ...connectionOptions, ...others }),
  showsText: (path, text) => (path === 'url' ? isBareAddress(text) : HARMLESS.test(path)),
  showsNames: (path) => /^(auth|http|attributes|logger)$/.test(path),
  hint: (path, given) => {
    if (path === 'url') return addressHint(given);
    if (/^authentication(Strategy)?$/.test(path)) return 'its name here is auth: { token } or { jwt }';
    return /^(token|jwt|tokenFile)$/.test(path) ? `did you mean auth: { ${path} }?` : undefined;
  },
});

export const clientRules = connectionRules('FliptClient');
