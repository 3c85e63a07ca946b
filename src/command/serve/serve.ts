import { systemClock } from '../../clock.js';
import type { Semantics } from '../../engine/features.js';
import type { Fingerprint } from '../../files/fingerprint.js';
import { FeaturesError } from '../../local/features/features-error.js';
import { startLocalService } from '../../local/local-service.js';
import { DataFileError } from '../../local/state/data-file.js';
import { messageOf } from '../../text/describe.js';
import { isLoopback } from '../../text/loopback.js';
import type { CommandRuntime } from '../command-runtime.js';
import { CommandError } from '../wrong-argument.js';
import { currentVersion, watchFile } from './features-watch.js';
import type { ServeArguments } from './serve-arguments.js';

/** Serves until `end` is aborted; resolves with the exit code. */
export async function serve(asked: ServeArguments, runtime: CommandRuntime): Promise<number> {
  const { print, complain, end } = runtime;
  const known = asked.features === undefined ? undefined : await currentVersion(asked.features);
  const isKept = asked.data !== undefined && (await currentVersion(asked.data)) !== undefined;
  try {
    const service = await startLocalService(given(asked));
    print(
      `Serving ${asked.data ?? asked.features ?? ''} at ${service.url} (Flipt ${asked.semantics} semantics)`,
    );
    print('Open the address in a browser to see and switch the flags. Ctrl-C ends it.');
    if (!isLoopback(asked.host) && asked.bootstrapToken === undefined) {
      complain(
        `Warning: ${asked.host} may be reached from other machines, and no token is required (--auth required)`,
      );
    }
    const warn = warner(asked.semantics, complain);
    if (asked.features !== undefined && !isKept) await warn(asked.features);
    const reload = async (path: string): Promise<void> => {
      await service.load(path);
      print(`Reloaded ${path}`);
      await warn(path);
    };
    const stopWatching = follow(asked, known, reload, runtime);
    await aborted(end);
    stopWatching();
    await service.close();
    return 0;
  } catch (error) {
    throw new CommandError(startError(error, asked), { cause: error });
  }
}

function given({
  features,
  data,
  bootstrapToken,
  ...others
}: ServeArguments): Parameters<typeof startLocalService>[0] {
  return {
    ...others,
    ...(features !== undefined && { features }),
    ...(data !== undefined && { data }),
    ...(bootstrapToken !== undefined && { bootstrapToken }),
  };
}

type ByPath = (path: string) => Promise<void>;

/** Warns of what is probably a mistake in a features file. What was said once is not repeated. */
function warner(semantics: Semantics, complain: CommandRuntime['complain']): ByPath {
  const said = new Set<string>();
  return async (path) => {
    const { findingText, lintFile } = await import('../../local/lint/lint.js');
    // The file was read a moment ago. If it is wrong now, its reload says so.
    const findings = await lintFile(path, semantics).catch(() => []);
    for (const finding of findings) {
      const { rule, problem } = finding;
      if (!said.has(rule + problem)) complain(`Warning: ${findingText(finding)}`);
      said.add(rule + problem);
    }
  };
}

/** Reloads the features file when it is edited. Returns a function that stops it. */
function follow(
  { features, data }: ServeArguments,
  known: Fingerprint | undefined,
  reload: ByPath,
  { complain, clock = systemClock }: CommandRuntime,
): () => void {
  if (features === undefined) return () => undefined;
  const changed = async (): Promise<void> => {
    if (data !== undefined) {
      complain(`Ignored the edited ${features}: the features come from ${data}`);
      return;
    }
    try {
      await reload(features);
    } catch (error) {
      const message = messageOf(error);
      complain(`${message}${message.includes('\n') ? '\n' : '; '}the old features stay`);
    }
  };
  return watchFile(features, known, changed, clock);
}

function startError(error: unknown, { port, host }: ServeArguments): string {
  if (error instanceof FeaturesError || error instanceof DataFileError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `port ${port} of ${host} is in use already; choose another with --port`;
  return `cannot listen on port ${port} of ${host}: ${messageOf(error)}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
