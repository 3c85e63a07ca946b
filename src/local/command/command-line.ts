import { parseArgs } from 'node:util';
import type { Semantics } from '../../engine/features.js';
import { messageOf } from '../../text/describe.js';

export interface ServeArguments {
  readonly features: string | undefined;
  readonly port: number;
  readonly host: string;
  readonly allowHosts: readonly string[];
  readonly semantics: Semantics;
  readonly data: string | undefined;
  /** Undefined where no token is required. */
  readonly bootstrapToken: string | undefined;
}

export type CommandLine =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve'; readonly serve: ServeArguments }
  | { readonly kind: 'wrong'; readonly message: string };

export const HELP = `Usage: openfeature-flipt-provider serve --features FILE [options]

Serves feature flags over HTTP as Flipt does, from a features file: for development, tests and
demonstrations. In production, that is what Flipt itself is for.

Options
  --features FILE        What to serve: a features file in Flipt's import and export format (YAML or JSON,
                         one document a namespace). An edited file is reloaded within a second; while it is
                         wrong, the old features stay and a message says why.
  --port PORT            The port to listen on; 0 is any free one. Default: 8080.
  --host HOST            The address to listen on. Default: 127.0.0.1, which only this machine reaches.
  --allow-host NAME      Another host by which clients address the service, such as a container's name. May
                         be given more than once. All other hosts, and pages of other origins, get a 403.
  --semantics v1|v2      Whose rules of evaluation apply: Flipt v1's or v2's. With v2, only
                         evaluation and snapshots are served. Default: v1.
  --data FILE            Keeps every change made through the interface in FILE. Starts from FILE if it
                         exists, else from --features; later edits of the features file have no effect. A
                         change is answered only after it is safe on disk. One process a file.
  --auth required        Answers only requests with a token (except GET /health). Needs a first token.
  --bootstrap-token T    The first token, with which others are made. The environment variable
                         FLIPT_BOOTSTRAP_TOKEN keeps it out of the list of processes.
  --help                 Prints this.
  --version              Prints the version.

Operations
  GET  /health
  POST /evaluate/v1/batch
  GET  /internal/v1/evaluation/snapshot/namespace/{namespaceKey}
With v1:
  POST /auth/v1/method/token                GET /auth/v1/tokens/{id}
  GET, POST /api/v1/namespaces/{namespaceKey}/segments
  GET, PUT  /api/v1/namespaces/{namespaceKey}/segments/{key}
  GET, POST /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/rules
  PUT       /api/v1/namespaces/{namespaceKey}/flags/{flagKey}/variants/{id}
With v2:
  GET  /client/v2/environments/{environment}/namespaces/{namespaceKey}/snapshot
  GET  /client/v2/environments/{environment}/namespaces/{namespaceKey}/stream

Limits: bodies of 16 MB; 10 seconds for a request's headers, 30 for all of it. 50,000 items a batch.
Ends on SIGINT or SIGTERM, after what is in flight. Exit code 0; 1 if it could not start.

Example
  openfeature-flipt-provider serve --features features.yml --port 8080
`;

/** Reads the arguments behind the command's name. */
export function readCommandLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): CommandLine {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
    if (values.help) return { kind: 'help' };
    if (values.version) return { kind: 'version' };
    const [command, extra] = positionals;
    if (command !== 'serve') return wrong(`expected the command serve, got ${command ?? 'none'}`);
    if (extra !== undefined) return wrong(`unexpected argument ${extra}`);
    return readServe(values, env);
  } catch (error) {
    return wrong(firstSentence(messageOf(error)));
  }
}

/** The rest of node's message is advice about arguments that this command does not have. */
function firstSentence(message: string): string {
  return message.split(/\.\s/, 1)[0] ?? message;
}

const OPTIONS = {
  features: { type: 'string' },
  port: { type: 'string', default: '8080' },
  host: { type: 'string', default: '127.0.0.1' },
  'allow-host': { type: 'string', multiple: true, default: [] as string[] },
  semantics: { type: 'string', default: 'v1' },
  data: { type: 'string' },
  auth: { type: 'string' },
  'bootstrap-token': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

interface Values {
  readonly features?: string;
  readonly port: string;
  readonly host: string;
  readonly 'allow-host': readonly string[];
  readonly semantics: string;
  readonly data?: string;
  readonly auth?: string;
  readonly 'bootstrap-token'?: string;
}

function readServe(values: Values, env: Readonly<Record<string, string | undefined>>): CommandLine {
  const { features, host, semantics, data, auth } = values;
  const port = Number(values.port);
  if (!/^[0-9]{1,5}$/.test(values.port) || port > 65535) {
    return wrong(`--port: expected a number from 0 to 65535, got ${values.port}`);
  }
  if (host === '') return wrong('--host: expected an address to listen on');
  const allowHosts = values['allow-host'];
  if (allowHosts.includes('')) return wrong('--allow-host: expected the name of a host');
  if (semantics !== 'v1' && semantics !== 'v2')
    return wrong(`--semantics: expected v1 or v2, got ${semantics}`);
  if (features === undefined && data === undefined) return wrong('--features: missing; expected a file');
  if (features === '') return wrong('--features: expected a file');
  if (data === '') return wrong('--data: expected a file');
  if (auth !== undefined && auth !== 'required') return wrong(`--auth: expected required, got ${auth}`);
  const given = values['bootstrap-token'];
  // An empty variable counts as not set; an empty argument is a mistake.
  const fromEnvironment = env.FLIPT_BOOTSTRAP_TOKEN || undefined;
  // A token without --auth required would protect nothing.
  if (auth === undefined && (given ?? fromEnvironment) !== undefined) {
    const name = given === undefined ? 'FLIPT_BOOTSTRAP_TOKEN' : '--bootstrap-token';
    return wrong(`${name}: has no effect without --auth required`);
  }
  const bootstrapToken = auth === undefined ? undefined : given || fromEnvironment;
  if (auth !== undefined && bootstrapToken === undefined) {
    return wrong('--auth required: needs a first token: --bootstrap-token, or FLIPT_BOOTSTRAP_TOKEN');
  }
  return { kind: 'serve', serve: { features, port, host, allowHosts, semantics, data, bootstrapToken } };
}

function wrong(message: string): CommandLine {
  return { kind: 'wrong', message };
}
