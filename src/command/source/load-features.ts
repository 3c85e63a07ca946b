import { compileFeatures, type CompiledFeatures } from '../../engine/compiled-features.js';
import { importDocuments } from '../../local/features/import-documents.js';
import { quoted } from '../../text/quote.js';
import type { CommandRuntime } from '../command-runtime.js';
import { CommandError } from '../wrong-argument.js';
import type { FileSource, SourceArguments } from './source-arguments.js';

/** A namespace's features, ready for evaluation. Rejects with a {@link CommandError} or a {@link FeaturesError}. */
export async function loadFeatures(
  source: SourceArguments,
  command: string,
  runtime: CommandRuntime,
): Promise<CompiledFeatures> {
  if (source.kind === 'file') return fromFile(source);
  // Loaded only if needed, because most commands read a file.
  const { serviceFeatures } = await import('./service-features.js');
  return serviceFeatures(source, command, runtime);
}

async function fromFile({ path, namespace, semantics }: FileSource): Promise<CompiledFeatures> {
  const namespaces = await importDocuments(path, semantics);
  const features = namespaces.get(namespace);
  if (features !== undefined) return compileFeatures(features, semantics);
  const known = [...namespaces.keys()].map(quoted).join(', ');
  throw new CommandError(`--namespace: ${path} has no namespace ${quoted(namespace)}; it has ${known}`);
}
