import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { FeaturesError } from '../../features/features-error.js';
import { openLocalService } from '../../local/local-service.js';
import { DataFileError } from '../../local/state/data-file.js';
import { variable, type Environment } from '../../options/environment.js';
import { messageOf } from '../../base/text/describe.js';
import { isLoopback } from '../../base/text/loopback.js';
import { CommandError, WrongArgument, type CommandRuntime, type OptionValues } from '../command.js';
import { semanticsOf } from '../features-source.js';
import { reloadOnEdit, versionOf, warnerOfMistakes } from './reload-on-edit.js';

/** Runs the embedded service until `end` is aborted, and resolves with the exit code. */
export async function serve(values: OptionValues, runtime: CommandRuntime): Promise<number> {
  const { print, complain, env, end } = runtime;
  const asked = readServe(values, env);
  const { features, data, bootstrapToken, ...others } = asked;
  const look = async () => (features === undefined ? undefined : versionOf(features));
  const atFirst = await look();
  const isKept = data !== undefined && ((await stat(data).catch(() => undefined))?.size ?? 0) > 0;
  try {
    // The service itself must not warn of features that Flipt would refuse, because the linter below also warns of
    // these features.
    const service = await openLocalService(
      {
        ...others,
        ...(features !== undefined && { features: pathToFileURL(features) }),
        ...(data !== undefined && { data }),
        ...(bootstrapToken !== undefined && { bootstrapToken }),
      },
      () => undefined,
    );
    print(`Serving ${data ?? features ?? ''} at ${service.url} (Flipt ${asked.semantics} semantics)`);
    print('Open the address in a browser to see and switch the flags. Ctrl-C ends it.');
    if (!isLoopback(asked.host) && bootstrapToken === undefined) {
      complain(
        `Warning: ${asked.host} may be reached from other machines, and no token is required; --auth required changes that`,
      );
    }
    const warn = warnerOfMistakes(asked.semantics, complain);
    if (features !== undefined && !isKept) await warn(features);
    const edits = { look, atFirst, data, load: (path: string) => service.load(pathToFileURL(path)), warn };
    const stopReloading = features === undefined ? undefined : reloadOnEdit(features, edits, runtime);
    if (!end.aborted) await once(end, 'abort');
    stopReloading?.();
    await service.close();
    return 0;
  } catch (error) {
    throw new CommandError(startError(error, asked), { cause: error });
  }
}

function startError(error: unknown, { port, host }: ReturnType<typeof readServe>): string {
  if (error instanceof FeaturesError || error instanceof DataFileError) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `port ${port} of ${host} is in use already; choose another with --port`;
  return `cannot listen on port ${port} of ${host}: ${messageOf(error)}`;
}

/** Reads the options of `serve`. Throws a {@link WrongArgument} if an option is wrong. */
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

/** Returns the first token, with which clients can create other tokens, or `undefined` if requests need no token. */
function firstToken(auth: string | undefined, given: string | undefined, env: Environment) {
  // An empty environment variable counts as not set, but an empty argument is a mistake.
  const fromEnvironment = variable(env, 'FLIPT_BOOTSTRAP_TOKEN');
  if (auth === 'required') {
    const token = given || fromEnvironment;
    if (token !== undefined) return token;
    throw new WrongArgument(
      '--auth required: needs a first token, as --bootstrap-token or in FLIPT_BOOTSTRAP_TOKEN',
    );
  }
  if (auth !== undefined) throw new WrongArgument(`--auth: expected required, got ${auth}`);
  if ((given ?? fromEnvironment) === undefined) return undefined;
  // A token that is given without `--auth required` would protect nothing.
  const name = given === undefined ? 'FLIPT_BOOTSTRAP_TOKEN' : '--bootstrap-token';
  throw new WrongArgument(`${name}: has no effect without --auth required`);
}
