import { systemClock } from '../../clock.js';
import type { CompiledFeatures } from '../../engine/compiled-features.js';
import { authorized } from '../../http/auth/authorized.js';
import { openCredentials } from '../../http/auth/open-credentials.js';
import { retried } from '../../http/retries/retried.js';
import { retryBudget } from '../../http/retries/retry-budget.js';
import { openTransport } from '../../http/transport.js';
import { connectionRules } from '../../options/connection-rules.js';
import type { Logger } from '../../options/provider-options.js';
import { clientSettings, type ConnectionSettings } from '../../options/settings.js';
import { snapshotFetcher, type Fetched } from '../../snapshot/fetch.js';
import type { CommandRuntime } from '../command-runtime.js';
import { CommandError } from '../wrong-argument.js';
import type { ServiceSource } from './source-arguments.js';

/** The features from which a running Flipt evaluates a namespace. Rejects with a {@link CommandError}. */
export async function serviceFeatures(
  source: ServiceSource,
  command: string,
  runtime: CommandRuntime,
): Promise<CompiledFeatures> {
  const { complain, end, clock = systemClock } = runtime;
  const settings = settingsOf(source, command, runtime);
  const answered = clock.after(
    SILENT_MS,
    () => {
      complain(`Waiting for the snapshot of Flipt at ${settings.url}, for up to 60 s`);
    },
    'background',
  );
  const fetched = await fetchOnce(settings, source.namespace, end).finally(answered);
  if (fetched.kind === 'snapshot') return fetched.snapshot.compiled;
  throw new CommandError(fetched.kind === 'failed' ? adviceOn(fetched, command) : 'an unexpected response');
}

function settingsOf(
  { url, environment }: ServiceSource,
  command: string,
  { env, complain: warn }: CommandRuntime,
): ConnectionSettings {
  const none = () => undefined;
  const logger: Logger = { error: warn, warn, info: none, debug: none };
  try {
    const options = { url, logger, ...(environment !== undefined && { environment }) };
    return clientSettings(options, env, connectionRules(command));
  } catch (error) {
    if (error instanceof TypeError) throw new CommandError(error.message, { cause: error });
    throw error;
  }
}

async function fetchOnce(
  settings: ConnectionSettings,
  namespace: string,
  end: AbortSignal,
): Promise<Fetched> {
  const { url, environment, http } = settings;
  const transport = openTransport(settings, systemClock);
  const closing = new AbortController();
  const loggingIn = { send: transport.send, ending: closing.signal };
  const credentials = openCredentials(settings, loggingIn, systemClock, Math.random);
  const retries = { retries: http.retries, withinMs: RETRY_MS };
  const send = retried(
    authorized(transport.send, credentials),
    retries,
    retryBudget(),
    systemClock,
    Math.random,
  );
  try {
    return await snapshotFetcher(send, { url, namespace, environment }, systemClock, end)(undefined);
  } finally {
    closing.abort();
    await transport.close();
  }
}

/** After so many silent milliseconds, the command says what it waits for. Only a large namespace takes longer. */
const SILENT_MS = 2_000;

/** For so many milliseconds, a failed attempt is repeated. It is short because somebody waits at a terminal. */
const RETRY_MS = 2_000;

/** What failed, and what to do about it. */
function adviceOn({ failure, isUnknown, offersNone }: Failed, command: string): string {
  const { kind, message } = failure;
  if (kind === 'connection' || kind === 'timeout')
    return `${message}; is it running there? --url names its address`;
  if (isUnknown) return `${message}; --namespace and --environment say which one is meant`;
  if (kind === 'unauthorized' || kind === 'forbidden' || !offersNone) return message;
  return `${message}; it seems to offer no snapshots, which ${command} reads: give exported features as --features`;
}

type Failed = Extract<Fetched, { readonly kind: 'failed' }>;
