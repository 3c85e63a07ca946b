import { variable, type Environment } from '../../options/environment.js';
import type { OptionValues } from '../command-options.js';
import { semanticsOf } from '../features-source/file-or-flipt.js';
import { WrongArgument } from '../command-error.js';

export type ServeArguments = ReturnType<typeof readServe>;

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
  return { features, port, host, allowHosts, semantics, data, bootstrapToken };
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
