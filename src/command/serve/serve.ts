import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { systemClock } from '../../time/clock.js';
import type { Semantics } from '../../engine/features.js';
import { FeaturesError } from '../../features/features-error.js';
import { startLocalService } from '../../local/local-service.js';
import { DataFileError } from '../../local/state/data-file.js';
import { messageOf } from '../../text/describe.js';
import { isLoopback } from '../../text/loopback.js';
import type { CommandRuntime } from '../command-runtime.js';
import { CommandError } from '../command-error.js';
import { versionOf, watchFile } from './watch-file.js';
import type { ServeArguments } from './serve-arguments.js';

/** Serves until `end` is aborted; resolves with the exit code. */
export async function serve(asked: ServeArguments, runtime: CommandRuntime): Promise<number> {
  const { print, complain, end, clock = systemClock } = runtime;
  const { features, data, bootstrapToken, ...others } = asked;
  const known = features === undefined ? undefined : await versionOf(features);
  const isKept = data !== undefined && ((await stat(data).catch(() => undefined))?.size ?? 0) > 0;
  try {
    const service = await startLocalService({
      ...others,
      ...(features !== undefined && { features }),
      ...(data !== undefined && { data }),
      ...(bootstrapToken !== undefined && { bootstrapToken }),
    });
    print(`Serving ${data ?? features ?? ''} at ${service.url} (Flipt ${asked.semantics} semantics)`);
    print('Open the address in a browser to see and switch the flags. Ctrl-C ends it.');
    if (!isLoopback(asked.host) && bootstrapToken === undefined) {
      complain(
        `Warning: ${asked.host} may be reached from other machines, and no token is required (--auth required)`,
      );
    }
    const warn = warner(asked.semantics, complain);
    if (features !== undefined && !isKept) await warn(features);
    const reload = async (path: string): Promise<void> => {
      if (data !== undefined) {
        complain(`Ignored the edited ${path}: the features come from ${data}`);
        return;
      }
      try {
        await service.load(path);
        print(`Reloaded ${path}`);
        await warn(path);
      } catch (error) {
        const message = messageOf(error);
        complain(`${message}${message.includes('\n') ? '\n' : '; '}the old features stay`);
      }
    };
    const stopWatching =
      features === undefined
        ? undefined
        : watchFile(
            () => versionOf(features),
            known,
            () => reload(features),
            clock,
          );
    if (!end.aborted) await once(end, 'abort');
    stopWatching?.();
    await service.close();
    return 0;
  } catch (error) {
    throw new CommandError(startError(error, asked), { cause: error });
  }
}

/** Warns of what is probably a mistake in a features file. What was said once is not repeated. */
function warner(semantics: Semantics, complain: CommandRuntime['complain']) {
  const said = new Set<string>();
  return async (path: string): Promise<void> => {
    const { findingText, lintFile } = await import('../../lint/lint.js');
    // The file was read a moment ago. If it is wrong now, its reload says so.
    const findings = await lintFile(path, semantics).catch(() => []);
    for (const finding of findings) {
      const { rule, problem } = finding;
      if (!said.has(rule + problem)) complain(`Warning: ${findingText(finding)}`);
      said.add(rule + problem);
    }
  };
}

function startError(error: unknown, { port, host }: ServeArguments): string {
  if (error instanceof FeaturesError || error instanceof DataFileError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `port ${port} of ${host} is in use already; choose another with --port`;
  return `cannot listen on port ${port} of ${host}: ${messageOf(error)}`;
}
