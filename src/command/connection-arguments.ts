import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from '../options/connection-options.js';
import { CREDENTIAL_VARIABLES, type Environment } from '../options/environment.js';
import type { HttpOptions, TlsOptions } from '../options/http-options.js';
import { addressHint, isWebAddress } from '../options/address.js';
import { set } from '../options/value-rules.js';
import { messageOf, quoted } from '../base/text/describe.js';
import { isCredentialName } from '../base/text/header.js';
import { CommandError, WrongArgument, type OptionValues } from './command.js';

/** The path of each connection option, such as `http.proxy`, in the form in which messages show the path. */
type ConnectionPath =
  | Exclude<keyof ConnectionOptions, 'http'>
  | `http.${Exclude<keyof HttpOptions, 'tls'>}`
  | `http.tls.${keyof TlsOptions}`;

/**
 * The command-line argument for each connection option of the provider, or `undefined` if the option has no argument.
 * The compiler demands a line here for each new connection option.
 */
const ARGUMENT_OF = {
  url: 'url',
  environment: 'environment',
  headers: 'header',
  'http.proxy': 'proxy',
  'http.tls.ca': 'ca',
  'http.tls.cert': 'cert',
  'http.tls.key': 'key',
  'http.tls.servername': 'servername',
  'http.socketPath': 'socket',
  // The command reads credentials from environment variables only.
  auth: undefined,
  // A snapshot always contains the newest revision, so the command needs no argument for another revision.
  reference: undefined,
  // The options below make sense in a program, but not for somebody at a terminal.
  logger: undefined,
  'http.dispatcher': undefined,
  'http.retries': undefined,
  'http.timeoutMs': undefined,
} as const satisfies Readonly<Record<ConnectionPath, keyof OptionValues | undefined>>;

/**
 * Returns the command-line argument for the connection option at this path, such as `--proxy`, or the path itself if
 * the option has no argument.
 */
export function argumentOf(path: string): string {
  if (path.startsWith('headers.')) return path.replace('headers.', `--${ARGUMENT_OF.headers} `);
  const name: unknown = Reflect.get(ARGUMENT_OF, path);
  return typeof name === 'string' ? `--${name}` : path;
}

/** The arguments that say how to connect to Flipt. A command that reads a features file refuses these arguments. */
const HOW = ['header', 'proxy', 'no-proxy', 'ca', 'cert', 'key', 'servername', 'socket'] as const;

/** The values of the arguments that say how to connect to Flipt, in the form in which the user gave them. */
export type ConnectionValues = Pick<OptionValues, (typeof HOW)[number]>;

/**
 * Throws a {@link WrongArgument} if an argument says how to connect to Flipt, although the command reads a features
 * file.
 */
export function refuseConnection(values: OptionValues): void {
  const name = HOW.find((one) => values[one] !== undefined);
  if (name !== undefined) throw new WrongArgument(`--${name}: has no effect without --url`);
}

/**
 * Reads the arguments that say how to connect to Flipt. Throws a {@link WrongArgument} if an argument is wrong.
 * Arguments must not contain credentials, because everybody on the machine can read the arguments of a process.
 */
export function readConnection(values: OptionValues): ConnectionValues {
  const { header = [], proxy = '' } = values;
  headersOf(header);
  for (const other of ['socket', 'no-proxy'] as const) {
    if (values.proxy === undefined || values[other] === undefined) continue;
    throw new WrongArgument(`--proxy and --${other}: expected either --proxy or --${other}`);
  }
  if (values.proxy !== undefined && !isWebAddress(proxy)) {
    const instead = addressHint(proxy, 'http:') ?? 'for no proxy, use --no-proxy';
    throw new WrongArgument(`--proxy: expected an http: or https: address; ${instead}`);
  }
  const { username = '', password = '' } = URL.canParse(proxy) ? new URL(proxy) : {};
  if (username + password !== '') {
    throw new WrongArgument(
      '--proxy: expected an address without user and password, because everybody on the machine can read the arguments of a process: leave out --proxy, and set HTTPS_PROXY, or HTTP_PROXY for an http: Flipt, to this address',
    );
  }
  return set(Object.fromEntries(HOW.map((name) => [name, values[name]])));
}

function headersOf(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((text) => {
      const end = text.indexOf(':');
      const name = text.slice(0, Math.max(0, end));
      if (name === '' || /\s/.test(name)) {
        // The message does not quote the text, because the text might be a credential, and others might read the
        // message in a CI log.
        throw new WrongArgument(
          `--header: expected NAME:VALUE, got text without a ${end < 0 ? 'colon' : 'name'}`,
        );
      }
      if (isCredentialName(name)) {
        throw new WrongArgument(
          `--header ${quoted(name)}: credentials come from the environment only (${CREDENTIAL_VARIABLES}), because everybody on the machine can read the arguments of a process`,
        );
      }
      return [name, text.slice(end + 1).trim()];
    }),
  );
}

/**
 * Reads the certificate and key files that the arguments name, and resolves with options for the connection to Flipt.
 * If neither `--proxy` nor `--no-proxy` is given, the environment variables for proxies apply. Rejects with a {@link
 * CommandError} if a file cannot be read, or is not PEM.
 */
export async function connectionOf(
  given: ConnectionValues,
  env: Environment,
): Promise<Pick<ConnectionOptions, 'headers' | 'http'>> {
  const { header = [], socket, servername, 'no-proxy': none } = given;
  // If no environment variable names a proxy, nobody expects a proxy, and no error message should mention a proxy.
  const isOfEnvironment = Object.keys(env).some((name) => env[name] && /^(?:https?|all)_proxy$/i.test(name));
  const proxy = none ? false : (given.proxy ?? (isOfEnvironment ? 'env' : undefined));
  const [ca, cert, key] = await Promise.all(
    (['ca', 'cert', 'key'] as const).map((name) => pemOf(name, given[name])),
  );
  const tls: TlsOptions = set({ ca, cert, key, servername });
  return { headers: headersOf(header), http: set({ proxy, tls, socketPath: socket }) };
}

async function pemOf(name: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError(`--${name}: ${path}: cannot be read: ${messageOf(error)}`, { cause: error });
  });
  if (text.includes('-----BEGIN ')) return text;
  throw new CommandError(`--${name}: ${path}: expected PEM (-----BEGIN …)`);
}
