import { systemClock } from '../base/time/clock.js';
import { openDirectTransport } from '../http/direct-transport.js';
import { PROXY_USER_ADVICE } from '../http/proxy.js';
import { rejectsCredentials, type Failure } from '../model/failure.js';
import { connectionRules, type Logger } from '../options/connection-options.js';
import { clientSettings, type ConnectionSettings } from '../options/settings.js';
import { LONGEST_FETCH_MS } from '../snapshot/silence.js';
import { snapshotFetcher, type Fetched, type FetchSettings } from '../snapshot/fetch-snapshot.js';
import { FliptVersion } from '../snapshot/ask-version.js';
import { silentRuntime } from '../model/runtime.js';
import { argumentOf, connectionOf, type ConnectionValues } from './connection-arguments.js';
import { CommandError, type CommandRuntime } from './command.js';

interface SnapshotSource extends Pick<FetchSettings, 'url' | 'namespace' | 'environment'> {
  readonly connection: ConnectionValues;
}

/**
 * Fetches the snapshot of a namespace from a running Flipt. Resolves with the snapshot, and with the environment of
 * Flipt that the arguments or the environment variables name. Rejects with a {@link CommandError} if there is no
 * snapshot.
 */
export async function fliptSnapshot(source: SnapshotSource, command: string, runtime: CommandRuntime) {
  const { complain, end, clock } = runtime;
  const settings = await settingsOf(source, command, runtime);
  const sayWaiting = () => {
    complain(`Waiting for the snapshot of Flipt at ${settings.url}, for up to ${LONGEST_FETCH_MS / 1000} s`);
  };
  const answered = clock.after(SILENT_MS, sayWaiting, 'background');
  // A request for a snapshot does not keep the process alive, because in a provider usually nobody waits for the
  // request. A user of the command does wait for the snapshot, so this timer keeps the process alive.
  const longestMs = settings.http.timeoutMs + RETRY_MS + 2 * LONGEST_FETCH_MS;
  const awake = clock.after(longestMs, () => undefined);
  const fetched = await fetchOnce(settings, source.namespace, end).finally(() => {
    answered();
    awake();
  });
  if (fetched.kind === 'snapshot') {
    return { snapshot: fetched.snapshot, environment: settings.environment };
  }
  throw new CommandError(
    fetched.kind === 'failed' ? adviceOn(fetched, settings, command) : 'an unexpected response',
  );
}

async function settingsOf(
  { url, environment, connection }: SnapshotSource,
  command: string,
  { env, complain: warn }: CommandRuntime,
): Promise<ConnectionSettings> {
  const none = () => undefined;
  const logger: Logger = { error: warn, warn, info: none, debug: none };
  const options = { url, environment, logger, ...(await connectionOf(connection, env)) };
  try {
    return clientSettings(options, env, { ...connectionRules(command, {}), nameOf: argumentOf });
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(inArguments(error.message), { cause: error });
    throw error;
  }
}

async function fetchOnce(settings: ConnectionSettings, namespace: string, end: AbortSignal) {
  const { url, environment, http } = settings;
  const closing = new AbortController();
  const runtime = silentRuntime();
  const { send, repeatedly, close } = openDirectTransport(RETRY_MS, settings, closing.signal, runtime);
  try {
    const version = new FliptVersion({ send, timeoutMs: http.timeoutMs, signal: end }, systemClock);
    const fetch = snapshotFetcher(repeatedly, { url, namespace, environment }, systemClock, end, version);
    // The version of Flipt decides by which rules the snapshot is read, so the version must be known before the
    // snapshot is fetched.
    await version.ask();
    return await fetch(undefined);
  } finally {
    closing.abort();
    await close();
  }
}

/**
 * If Flipt has not answered after this many milliseconds, the command prints what it waits for. If Flipt is up, usually
 * only the snapshot of a large namespace takes longer than this.
 */
const SILENT_MS = 2_000;

/**
 * The command repeats a failed request for at most this many milliseconds. The time is short, because somebody waits at
 * a terminal.
 */
const RETRY_MS = 2_000;

/**
 * Replaces the names of the provider's options under `http`, such as `http.proxy`, in a message by the names of the
 * command's arguments.
 */
function inArguments(message: string): string {
  return message.replaceAll(/\bhttp(?:\.\w+)+/g, argumentOf);
}

const UNKNOWN =
  "set the right one with --namespace or --environment, or Flipt has not loaded its flags: look into Flipt's log, and " +
  'lint the features file';

/** Returns a message that says why there is no snapshot, and what the user can do. */
function adviceOn(
  { failure, isUnknown, offersNone }: Failed,
  { url, http }: ConnectionSettings,
  command: string,
): string {
  const message = inArguments(failure.message).replace(PROXY_USER_ADVICE, () => userOfProxy(url, http));
  if (isNotThere(failure)) return `${message}; ${whereToLook(http)}`;
  if (isUnknown) return `${message}; ${UNKNOWN}`;
  if (rejectsCredentials(failure) || !offersNone) return message;
  const instead = command === 'snapshot' ? '' : '; export the features, and pass the file with --features';
  return `${message}; this Flipt seems to offer no snapshots, which ${command} needs${instead}`;
}

/**
 * Returns a message that says how to give the user and the password of a proxy to the command. Neither the user nor the
 * password is allowed in the command's arguments.
 */
function userOfProxy(url: string, { proxy }: ConnectionSettings['http']): string {
  const name = url.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const where = proxy === undefined ? 'PROXY' : proxy.host;
  const address = `${proxy?.protocol ?? 'http:'}//USER:PASSWORD@${where}`;
  return `the proxy asks for a user and a password: leave out --proxy, and set ${name}=${address}`;
}

/**
 * Returns what the user should check if nothing answers. If a socket or a proxy is set, the connection goes to the
 * socket or the proxy, and not to the address of Flipt.
 */
function whereToLook({ proxy, socketPath }: ConnectionSettings['http']): string {
  if (socketPath !== undefined) return 'is Flipt running there? Set its socket with --socket';
  if (proxy === undefined) return 'is Flipt running there? Set its address with --url';
  return 'is the proxy running there? Set its address with --proxy, or a variable such as HTTPS_PROXY';
}

const NOT_THERE: readonly unknown[] = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
];

/**
 * Returns whether a request failed because nothing answers at the address. A server with a wrong certificate counts as
 * a server that answers.
 */
function isNotThere({ kind, cause }: Failure): boolean {
  if (cause === undefined || !('code' in cause)) return false;
  // ENOENT means that there is no socket at this path.
  return NOT_THERE.includes(cause.code) || (kind === 'connection' && cause.code === 'ENOENT');
}

type Failed = Extract<Fetched, { readonly kind: 'failed' }>;
