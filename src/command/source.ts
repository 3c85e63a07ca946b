import { pathToFileURL } from 'node:url';
import { type Command, Option } from 'commander';
import { quoted } from '../base/text/describe.js';
import { leadsElsewhere } from '../options/address.js';
import { systemClock } from '../base/time/clock.js';
import { compileFeatures } from '../engine/compile.js';
import type { Features, Semantics } from '../engine/features.js';
import { ALL_SEMANTICS, DEFAULT_SEMANTICS, semanticsOfRelease } from '../engine/version-differences.js';
import { summaryOf } from '../features/problem.js';
import { readFeatures } from '../features/read-features.js';
import type { NamespaceRecord } from '../features/normalize.js';
import { openAuthorizedTransport } from '../http/auth.js';
import { withRetries } from '../http/retry.js';
import { rejectsCredentials, type Failure } from '../model/failure.js';
import { silentRuntime } from '../model/runtime.js';
import type { Environment, Logger } from '../options/connection-options.js';
import {
  clientSettings,
  CREDENTIAL_VARIABLES,
  variable,
  type ConnectionSettings,
} from '../options/settings.js';
import { LONGEST_FETCH_MS, snapshotFetcher, type Failed } from '../snapshot/fetch.js';
import { askVersion } from '../snapshot/flipt-version.js';
import { CommandError, type CommandRuntime } from './runtime.js';

/** Which flags of a running Flipt. */
export interface ServiceOptions {
  readonly url?: string;
  readonly namespace?: string;
  readonly environment?: string;
}

/** Which flags of a file or of a running Flipt. */
export interface SourceOptions extends ServiceOptions {
  readonly features?: string;
  readonly semantics?: Semantics;
}

export function withService(command: Command): Command {
  return command
    .option('--url <url>', 'the address of a running Flipt')
    .option('--namespace <key>', 'the namespace of the flags (default: FLIPT_NAMESPACE, or "default")')
    .addOption(
      new Option(
        '--environment <name>',
        'the environment of Flipt v2 (default: FLIPT_ENVIRONMENT)',
      ).conflicts('features'),
    );
}

export function withSource(command: Command): Command {
  const features = new Option('--features <file>', 'a features file in Flipt’s import and export format');
  const semantics = new Option(
    '--semantics <version>',
    'of a file: the rules of Flipt v1, of 2.0 to 2.8, or of 2.9 and newer',
  );
  return withService(command.addOption(features.conflicts('url'))).addOption(
    semantics.choices(ALL_SEMANTICS).conflicts('url'),
  );
}

/** In the usage of a command. */
export const SOURCE = '(--features <file> | --url <url>)';

export const CREDENTIALS = `Credentials and a proxy for Flipt come from the environment only, because everybody on the machine can read the
arguments of a process: ${CREDENTIAL_VARIABLES}; HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
NODE_EXTRA_CA_CERTS names a file of certificate authorities.`;

const DEFAULT = 'default';

/** Rejects with a FeaturesError if a file is wrong, and with a {@link CommandError} if anything else fails. */
export async function loadFeatures(options: SourceOptions, command: string, runtime: CommandRuntime) {
  const { features: path, url, semantics = DEFAULT_SEMANTICS } = options;
  const asked = namespaceOf(options, runtime.env);
  if (path === undefined) {
    if (!url)
      throw new CommandError('expected a features file as --features, or the address of Flipt as --url');
    const { namespace, snapshot } = await fliptSnapshot({ ...options, url }, command, runtime);
    const features: Features = snapshot.flags.whole();
    return { namespace, compiled: snapshot.compiled, features, beside: [] };
  }
  const { namespaces, problems } = await readFeatures(pathToFileURL(path), semantics);
  const refused = summaryOf(problems);
  if (refused !== undefined) runtime.complain(`Warning: ${refused}`);
  const namespace = asked ?? namespaceIn(path, namespaces);
  const features = namespaces.get(namespace);
  if (features === undefined) {
    const names = [...namespaces.keys()].map(quoted).join(', ');
    throw new CommandError(`${path} has no namespace ${quoted(namespace)}; it has ${names}`);
  }
  const beside = [...namespaces.values()].filter(({ key, flags }) => key !== namespace && flags.size > 0);
  return { namespace, compiled: compileFeatures(features, semantics), features, beside };
}

function namespaceOf({ namespace }: ServiceOptions, env: Environment): string | undefined {
  const given = namespace ?? variable(env, 'FLIPT_NAMESPACE');
  if (given !== '' && !leadsElsewhere(given ?? DEFAULT)) return given;
  throw new CommandError('--namespace: expected the key of a namespace, without "." or ".." as a part');
}

/** `default` if it has flags, else the only namespace that has some. */
function namespaceIn(path: string, namespaces: ReadonlyMap<string, NamespaceRecord>): string {
  const filled = [...namespaces.values()].filter(({ flags }) => flags.size > 0).map(({ key }) => key);
  if (filled.includes(DEFAULT)) return DEFAULT;
  const [only = DEFAULT, ...others] = filled;
  if (others.length === 0) return only;
  throw new CommandError(
    `${path} has several namespaces: ${filled.map(quoted).join(', ')}; choose one with --namespace`,
  );
}

export const noFlags = (namespace: string): CommandError =>
  new CommandError(`namespace ${quoted(namespace)} has no flags; choose another with --namespace`);

/** Somebody waits at a terminal, so retries end soon. */
const RETRY_MS = 2_000;
/** Only the snapshot of a large namespace takes longer than this, if Flipt is up. */
const SILENT_MS = 2_000;

export async function fliptSnapshot(
  { url, environment: given, ...options }: ServiceOptions & { readonly url: string },
  command: string,
  { env, complain, clock }: CommandRuntime,
) {
  const namespace = namespaceOf(options, env) ?? DEFAULT;
  const settings = settingsOf(url, given, command, env, complain);
  const { environment, http } = settings;
  const awaited = clock.after(
    SILENT_MS,
    () => {
      complain(
        `Waiting for the snapshot of Flipt at ${settings.url}, for up to ${LONGEST_FETCH_MS / 1000} s`,
      );
    },
    'background',
  );
  // A request for a snapshot does not keep a process alive: in a provider, nobody waits for it.
  const awake = clock.after(http.timeoutMs + RETRY_MS + 2 * LONGEST_FETCH_MS, () => undefined);
  const closing = new AbortController();
  const { signal } = closing;
  const runtime = silentRuntime();
  const { send, close } = openAuthorizedTransport(settings, signal, runtime);
  try {
    // It decides by which rules the snapshot is read.
    const version = await askVersion(send, signal);
    const asked = { url: settings.url, namespace, environment };
    const repeatedly = withRetries(send, { retries: http.retries, withinMs: RETRY_MS }, runtime);
    const fetch = snapshotFetcher(repeatedly, asked, systemClock, signal);
    const fetched = await fetch({ semantics: () => semanticsOfRelease(version?.release) });
    if (fetched.kind === 'snapshot') {
      const { snapshot, etag } = fetched;
      return { namespace, environment, snapshot, etag };
    }
    throw new CommandError(
      fetched.kind === 'failed' ? adviceOn(fetched, settings, command) : 'an unexpected response',
    );
  } finally {
    awaited();
    awake();
    closing.abort();
    await close();
  }
}

function settingsOf(
  url: string,
  environment: string | undefined,
  command: string,
  env: Environment,
  warn: CommandRuntime['complain'],
): ConnectionSettings {
  const none = () => undefined;
  const logger: Logger = { error: warn, warn, info: none, debug: none };
  // Without a variable that names a proxy, no message should mention one.
  const isProxied = Object.keys(env).some((name) => env[name] && /^(?:https?|all)_proxy$/i.test(name));
  const options = { url, environment, logger, ...(isProxied && { http: { proxy: 'env' } as const }) };
  try {
    return clientSettings(options, env, command);
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

function adviceOn(
  { failure, isUnknown, offersNone }: Failed,
  { http }: ConnectionSettings,
  command: string,
): string {
  const { message } = failure;
  if (isNotThere(failure)) {
    return http.proxy === undefined
      ? `${message}; is Flipt running there? Set its address with --url`
      : `${message}; is the proxy running there? Its address is in a variable such as HTTPS_PROXY`;
  }
  if (isUnknown) {
    return (
      `${message}; set the right one with --namespace or --environment, or Flipt has not loaded its flags: look into ` +
      "Flipt's log, and lint the features file"
    );
  }
  if (rejectsCredentials(failure) || !offersNone) return message;
  const instead = command === 'snapshot' ? '' : '; export the features, and pass the file with --features';
  return `${message}; this Flipt seems to offer no snapshots, which ${command} needs${instead}`;
}

const NOT_THERE: readonly unknown[] = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
];

function isNotThere({ cause }: Failure): boolean {
  return cause !== undefined && 'code' in cause && NOT_THERE.includes(cause.code);
}
