import { compileFeatures } from '../../engine/compiled-features.js';
import { readFeatures } from '../../features/read-features.js';
import { quoted } from '../../text/describe.js';
import type { CommandRuntime } from '../command-runtime.js';
import { CommandError } from '../command-error.js';
import type { FileSource, SourceArguments } from './file-or-flipt.js';

/** A namespace's features, ready for evaluation. Rejects with a {@link CommandError} or a {@link FeaturesError}. */
export async function loadFeatures(source: SourceArguments, command: string, runtime: CommandRuntime) {
  if (source.kind === 'file') return fromFile(source);
  // Loaded only if needed, because most commands read a file.
  const { fliptSnapshot } = await import('./flipt-snapshot.js');
  return (await fliptSnapshot(source, command, runtime)).snapshot.compiled;
}

async function fromFile({ path, namespace, semantics }: FileSource) {
  const namespaces = await readFeatures(path, semantics);
  const features = namespaces.get(namespace);
  if (features !== undefined) return compileFeatures(features, semantics);
  const known = [...namespaces.keys()].map(quoted).join(', ');
  throw new CommandError(`--namespace: ${path} has no namespace ${quoted(namespace)}; it has ${known}`);
}
