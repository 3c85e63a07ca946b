import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { Semantics } from '../../engine/features.js';
import { FeaturesError } from '../../features/features-error.js';
import { openLocalService } from '../../local/local-service.js';
import { DataFileError } from '../../local/state/data-file.js';
import { variable, type Environment } from '../../options/environment.js';
import { messageOf } from '../../base/text/describe.js';
import { isLoopback } from '../../base/text/loopback.js';
import { CommandError, WrongArgument, type CommandRuntime, type OptionValues } from '../command.js';
import { semanticsOf } from '../features-source.js';
import { versionOf, watchFile } from './watch-file.js';
import { findingText, lintFile } from '../../features/lint/lint.js';
import { NO_SETTINGS } from '../../features/lint/lint-rules.js';
import { settingsFor } from '../lint-settings.js';

/** Serves until `end` is aborted; resolves with the exit code. */
export async function serve(values: OptionValues, runtime: CommandRuntime): Promise<number> {
  const { print, complain, env, end, clock } = runtime;
  const asked = readServe(values, env);
  const { features, data, bootstrapToken, ...others } = asked;
  const look = async () => (features === undefined ? undefined : versionOf(features));
  const known = await look();
  const isKept = data !== undefined && ((await stat(data).catch(() => undefined))?.size ?? 0) > 0;
  try {
    // The linter says it below, with all that it finds.
    const service = await openLocalService(
      {
        ...others,
        ...(features !== undefined && { features }),
        ...(data !== undefined && { data }),
        ...(bootstrapToken !== undefined && { bootstrapToken }),
      },
      () => undefined,
    );
    print(`Serving ${data ?? features ?? ''} at ${service.url} (Flipt ${asked.semantics} semantics)`);
    print('Open the address in a browser to see and switch the flags. Ctrl-C ends it.');
    if (!isLoopback(asked.host) && bootstrapToken === undefined) {
      complain(
        `Warning: ${asked.host} may be reached from other machines, and no token is required (--auth required)`,
      );
    }
    const warn = warner(asked.semantics, complain);
    if (features !== undefined && !isKept) await warn(features);
    const edited = async (path: string): Promise<void> => {
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
      features === undefined ? undefined : watchFile(look, known, () => edited(features), clock);
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
    const settings = await settingsFor(path).catch((error: unknown) => {
      complain(messageOf(error));
      return NO_SETTINGS;
    });
    // The file was read a moment ago. If it is wrong now, its reload says so.
    const findings = await lintFile(path, semantics, settings).catch(() => []);
    for (const finding of findings) {
      const { rule, level, problem } = finding;
      if (level === 'info') continue;
      if (!said.has(rule + problem)) complain(`Warning: ${findingText(finding)}`);
      said.add(rule + problem);
    }
  };
}

function startError(error: unknown, { port, host }: ReturnType<typeof readServe>): string {
  if (error instanceof FeaturesError || error instanceof DataFileError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `port ${port} of ${host} is in use already; choose another with --port`;
  return `cannot listen on port ${port} of ${host}: ${messageOf(error)}`;
}

/** Throws a {@link WrongArgument}. */
export function readServe(values: OptionValues, env: Environment) {
  const { features, port: portText = '8080', host = '127.0.0.1', data, auth } = values;
  const port = Number(portText);
  if (!/^[0-9]{1,5}$/.test(portText) || port > 65535) {
    throw new WrongArgument(`--port: expected a number from 0 to 65535, got ${portText}`);
  }
  if (host === '') throw new WrongArgument('--host: expected an address to listen on');
  const allowHosts = values['allow-host'] ?? [];
  if (allowHosts.includes('')) throw new WrongArgument('--allow-host: expected the name of a host');
  const semantics = semanticsOf(values.semantics);
  if (features === undefined && data === undefined) {
    throw new WrongArgument('--features: missing; expected a file');
  }
  if (features === '') throw new WrongArgument('--features: expected a file');
  if (data === '') throw new WrongArgument('--data: expected a file');
  const bootstrapToken = firstToken(auth, values['bootstrap-token'], env);
  const { strict = false } = values;
  return { features, port, host, allowHosts, semantics, strict, data, bootstrapToken };
}

/** `undefined` if no token is required. */
function firstToken(auth: string | undefined, given: string | undefined, env: Environment) {
  // An empty variable counts as not set, but an empty argument is a mistake.
  const fromEnvironment = variable(env, 'FLIPT_BOOTSTRAP_TOKEN');
  if (auth === 'required') {
    const token = given || fromEnvironment;
    if (token !== undefined) return token;
    throw new WrongArgument(
      '--auth required: needs a first token: --bootstrap-token, or FLIPT_BOOTSTRAP_TOKEN',
    );
  }
  if (auth !== undefined) throw new WrongArgument(`--auth: expected required, got ${auth}`);
  if ((given ?? fromEnvironment) === undefined) return undefined;
  // A token without --auth required would protect nothing.
  const name = given === undefined ? 'FLIPT_BOOTSTRAP_TOKEN' : '--bootstrap-token';
  throw new WrongArgument(`${name}: has no effect without --auth required`);
}
