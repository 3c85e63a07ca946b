import type { Semantics } from '../../engine/features.js';
import type { Environment } from '../../options/environment.js';
import type { OptionValues } from '../option-values.js';
import { semanticsOf } from '../source/source-arguments.js';
import { WrongArgument } from '../wrong-argument.js';

export interface ServeArguments {
  readonly features: string | undefined;
  readonly port: number;
  readonly host: string;
  readonly allowHosts: readonly string[];
  readonly semantics: Semantics;
  readonly data: string | undefined;
  /** `undefined` if no token is required. */
  readonly bootstrapToken: string | undefined;
}

export const SERVE_OPTIONS = {
  features: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  'allow-host': { type: 'string', multiple: true },
  semantics: { type: 'string' },
  data: { type: 'string' },
  auth: { type: 'string' },
  'bootstrap-token': { type: 'string' },
} as const;

type Values = OptionValues<typeof SERVE_OPTIONS>;

/** Throws a {@link WrongArgument}. */
export function readServe(values: Values, env: Environment): ServeArguments {
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

function firstToken(
  auth: string | undefined,
  given: string | undefined,
  env: Environment,
): string | undefined {
  if (auth !== undefined && auth !== 'required') {
    throw new WrongArgument(`--auth: expected required, got ${auth}`);
  }
  // An empty variable counts as not set, but an empty argument is a mistake.
  const fromEnvironment = env.FLIPT_BOOTSTRAP_TOKEN || undefined;
  // A token without --auth required would protect nothing.
  if (auth === undefined && (given ?? fromEnvironment) !== undefined) {
    const name = given === undefined ? 'FLIPT_BOOTSTRAP_TOKEN' : '--bootstrap-token';
    throw new WrongArgument(`${name}: has no effect without --auth required`);
  }
  const bootstrapToken = auth === undefined ? undefined : given || fromEnvironment;
  if (auth !== undefined && bootstrapToken === undefined) {
    throw new WrongArgument(
      '--auth required: needs a first token: --bootstrap-token, or FLIPT_BOOTSTRAP_TOKEN',
    );
  }
  return bootstrapToken;
}
