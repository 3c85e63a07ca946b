import { compileFeatures } from '../engine/compile.js';
import type { Semantics } from '../engine/features.js';
import { ALL_SEMANTICS, DEFAULT_SEMANTICS } from '../engine/version-differences.js';
import { namespacesOf } from '../features/checked-documents.js';
import { readFile } from '../features/read-features.js';
import { refusalSummary } from '../features/refusal-words.js';
import type { NamespaceRecord } from '../features/records.js';
import { variable, type Environment } from '../options/environment.js';
import { quoted } from '../base/text/describe.js';
import { leadsElsewhere } from '../base/text/path-part.js';
import { CommandError, WrongArgument, type CommandRuntime, type OptionValues } from './command.js';
import { readConnection, refuseConnection } from './connection-arguments.js';

/** Where a command reads features from: a file or a running Flipt. */
type Source = ReturnType<typeof readSource>;

/**
 * Reads the arguments that say where the features come from. Throws a {@link WrongArgument} if an argument is wrong.
 */
export function readSource(values: OptionValues, env: Environment) {
  const { features, environment, semantics } = values;
  const url = values.url ?? (features === undefined ? urlOfSocket(values) : undefined);
  if (features !== undefined && url !== undefined) {
    throw new WrongArgument('--features and --url: expected only one of them');
  }
  if (url !== undefined) {
    if (semantics !== undefined) {
      throw new WrongArgument('--semantics: has no effect with --url; Flipt says whose rules apply');
    }
    return readService(url, values, env);
  }
  if (features === undefined) {
    throw new WrongArgument('--features: missing; expected a file, or the address of Flipt as --url');
  }
  if (features === '') throw new WrongArgument('--features: expected a file');
  if (environment !== undefined) throw new WrongArgument('--environment: has no effect without --url');
  refuseConnection(values);
  const namespace = givenNamespace(values, env);
  return { kind: 'file', path: features, namespace, semantics: semanticsOf(semantics) } as const;
}

/**
 * Returns an address for Flipt if `--socket` is given, and otherwise `undefined`. With `--socket`, the connection goes
 * to the socket, so the address only decides the header `Host` of the requests.
 */
export function urlOfSocket({ socket }: OptionValues): string | undefined {
  return socket === undefined ? undefined : 'http://localhost';
}

/**
 * Reads from the arguments and the environment variables which namespace the command uses, and how to connect to Flipt
 * at `url`. Throws a {@link WrongArgument} if an argument is wrong.
 */
export function readService(url: string, values: OptionValues, env: Environment) {
  const { environment } = values;
  if (environment === '') throw new WrongArgument('--environment: expected the name of an environment');
  const namespace = givenNamespace(values, env) ?? DEFAULT;
  if (leadsElsewhere(namespace)) {
    throw new WrongArgument('--namespace: expected the key of a namespace without "." or ".." as a part');
  }
  // If no argument names an environment of Flipt, the variable FLIPT_ENVIRONMENT decides.
  return { kind: 'service', url, namespace, environment, connection: readConnection(values) } as const;
}

/** A command prefers this namespace if neither an argument nor FLIPT_NAMESPACE names a namespace. */
const DEFAULT = 'default';

function givenNamespace(values: OptionValues, env: Environment): string | undefined {
  const namespace = values.namespace ?? variable(env, 'FLIPT_NAMESPACE');
  if (namespace === '') throw new WrongArgument('--namespace: expected the key of a namespace');
  return namespace;
}

/** Reads the argument that names a version of Flipt. Throws a {@link WrongArgument} if the version is unknown. */
export function semanticsOf(given: string = DEFAULT_SEMANTICS, option = '--semantics'): Semantics {
  const found = ALL_SEMANTICS.find((semantics) => semantics === given);
  if (found !== undefined) return found;
  throw new WrongArgument(`${option}: expected ${ALL_SEMANTICS.join(', ')}, got ${given}`);
}

/** Returns the error for a namespace without flags. The commands `types` and `snapshot` throw this error. */
export const noFlags = (namespace: string): CommandError =>
  new CommandError(`namespace ${quoted(namespace)} has no flags; choose another with --namespace`);

/**
 * Reads the features of a namespace, and prepares them for evaluation. Rejects with a {@link FeaturesError} if a file
 * is wrong, and with a {@link CommandError} if anything else fails.
 */
export async function loadFeatures(source: Source, command: string, runtime: CommandRuntime) {
  if (source.kind === 'service') {
    // The code that connects to Flipt is loaded only when it is needed, because most runs of the command read a file.
    const { fliptSnapshot } = await import('./flipt-snapshot.js');
    const { snapshot } = await fliptSnapshot(source, command, runtime);
    const features = snapshot.flags.whole();
    return { namespace: source.namespace, compiled: snapshot.compiled, features, beside: NONE };
  }
  const { path, semantics } = source;
  const read = await readFile(path, semantics);
  const namespaces = namespacesOf(read, semantics);
  const refused = refusalSummary(read, semantics);
  if (refused !== undefined) runtime.complain(`Warning: ${refused}`);
  const namespace = source.namespace ?? namespaceIn(path, namespaces);
  const features = namespaces.get(namespace);
  if (features !== undefined) {
    const beside = [...namespaces.values()].filter(({ key, flags }) => key !== namespace && flags.size > 0);
    return { namespace, compiled: compileFeatures(features, semantics), features, beside };
  }
  const names = [...namespaces.keys()].map(quoted).join(', ');
  throw new CommandError(`--namespace: ${path} has no namespace ${quoted(namespace)}; it has ${names}`);
}

/**
 * If the features come from a running Flipt, this empty list replaces the list of other namespaces, because a command
 * reads only one namespace from a running Flipt.
 */
const NONE: readonly NamespaceRecord[] = [];

/**
 * Chooses the namespace of a features file if neither an argument nor FLIPT_NAMESPACE names a namespace: `default` if
 * that namespace has flags, or else the only namespace that has flags. Throws if there are several such namespaces.
 */
function namespaceIn(path: string, namespaces: ReadonlyMap<string, NamespaceRecord>): string {
  const filled = [...namespaces.values()].filter(({ flags }) => flags.size > 0).map(({ key }) => key);
  if (filled.includes(DEFAULT)) return DEFAULT;
  const [only = DEFAULT, ...others] = filled;
  if (others.length === 0) return only;
  throw new CommandError(
    `${path} has several namespaces: ${filled.map(quoted).join(', ')}; choose one with --namespace`,
  );
}
