import { explain } from '../../engine/explain/explain.js';
import { explanationText } from '../../engine/explain/explanation-text.js';
import { didYouMean } from '../../text/closest-name.js';
import { quoted } from '../../text/describe.js';
import { loadFeatures } from '../features-source/load-features.js';
import type { CommandRuntime } from '../command-runtime.js';
import { printableJson } from '../printable-json.js';
import type { ExplainArguments } from './explain-arguments.js';

const UNREADABLE = 1;
const NO_SUCH_FLAG = 2;

/** Prints why a flag has its value; resolves with the exit code. */
export async function explainFlag(asked: ExplainArguments, runtime: CommandRuntime): Promise<number> {
  const { source, flag, entity, attributes, isJson } = asked;
  const { print, complain } = runtime;
  const { namespace } = source;
  const features = await loadFeatures(source, 'explain', runtime);
  const explanation = explain(features, { namespace, flag, entity, attributes });
  print(isJson ? printableJson(explanation) : explanationText(explanation));
  const { answer } = explanation;
  if (answer.kind === 'unreadable') {
    complain(`This version of the package cannot read the flag ${quoted(flag)}: ${answer.reason}; update it`);
    return UNREADABLE;
  }
  if (answer.kind !== 'missing') return 0;
  complain(missingText(asked, [...features.features.flags.keys()]));
  return NO_SUCH_FLAG;
}

function missingText({ flag, source: { namespace } }: ExplainArguments, known: readonly string[]): string {
  const missing = `There is no flag ${quoted(flag)} in namespace ${quoted(namespace)}`;
  if (known.length === 0) return `${missing}, which has no flags; choose another with --namespace`;
  return missing + didYouMean(flag, known);
}
