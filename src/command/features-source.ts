import { compileFeatures } from '../engine/compiled-features.js';
import type { Semantics } from '../engine/features.js';
import { ALL_SEMANTICS, DEFAULT_SEMANTICS } from '../engine/rules-of-version.js';
import { readFeatures } from '../features/read-features.js';
import { variable, type Environment } from '../options/environment.js';
import { quoted } from '../text/describe.js';
import { CommandError, WrongArgument, type CommandRuntime, type OptionValues } from './command.js';

/** Where a command reads features from: a file, or a running Flipt. */
type Source = ReturnType<typeof readSource>;

/** Throws a {@link WrongArgument}. */
export function readSource(values: OptionValues, env: Environment) {
  const { features, url, environment, semantics } = values;
  const namespace = namespaceOf(values, env);
  if (features !== undefined && url !== undefined) {
    throw new WrongArgument('--features and --url: expected one of them');
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
  return { kind: 'file', path: features, namespace, semantics: semanticsOf(semantics) } as const;
}

/** Throws a {@link WrongArgument}. */
export function readService(url: string, values: OptionValues, env: Environment) {
  const { environment } = values;
  if (environment === '') throw new WrongArgument('--environment: expected the name of an environment');
  // Without an environment, the variable FLIPT_ENVIRONMENT decides.
  return { kind: 'service', url, namespace: namespaceOf(values, env), environment } as const;
}

function namespaceOf(values: OptionValues, env: Environment): string {
  const namespace = values.namespace ?? variable(env, 'FLIPT_NAMESPACE') ?? 'default';
  if (namespace === '') throw new WrongArgument('--namespace: expected the key of a namespace');
  return namespace;
}

/** Throws a {@link WrongArgument}. */
export function semanticsOf(given: string = DEFAULT_SEMANTICS): Semantics {
  const known = ALL_SEMANTICS.find((semantics) => semantics === given);
  if (known !== undefined) return known;
  throw new WrongArgument(`--semantics: expected ${ALL_SEMANTICS.join(', ')}, got ${given}`);
}

/** What a command that writes flags says about a namespace without any. */
export const noFlags = (namespace: string): CommandError =>
  new CommandError(`namespace ${quoted(namespace)} has no flags; choose another with --namespace`);

/** A namespace's features, ready for evaluation. Rejects with a {@link CommandError} or a {@link FeaturesError}. */
export async function loadFeatures(source: Source, command: string, runtime: CommandRuntime) {
  if (source.kind === 'service') {
    // Loaded only if needed, because most commands read a file.
    const { fliptSnapshot } = await import('./flipt-snapshot.js');
    return (await fliptSnapshot(source, command, runtime)).snapshot.compiled;
  }
  const { path, namespace, semantics } = source;
  const namespaces = await readFeatures(path, semantics);
  const features = namespaces.get(namespace);
  if (features !== undefined) return compileFeatures(features, semantics);
  const known = [...namespaces.keys()].map(quoted).join(', ');
  throw new CommandError(`--namespace: ${path} has no namespace ${quoted(namespace)}; it has ${known}`);
}
