import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../base/text/closest-name.js';
import { quoted } from '../base/text/describe.js';
import { explain } from '../engine/explain.js';
import { explanationText } from '../engine/explanation-text.js';
import { printableJson } from './printable-json.js';
import type { CommandRuntime } from './runtime.js';
import { CREDENTIALS, loadFeatures, type SourceOptions } from './source.js';

export interface ExplainOptions extends SourceOptions {
  readonly flag: string;
  readonly entity?: string;
  readonly context?: ReadonlyMap<string, string>;
  readonly json?: boolean;
}

const NO_SUCH_FLAG = 2;

/** Prints why a flag has its value for an entity. */
export async function explainFlag(options: ExplainOptions, runtime: CommandRuntime): Promise<number> {
  const { print, complain } = runtime;
  const { flag, entity = '', context = [], json } = options;
  const { namespace, compiled, features, beside } = await loadFeatures(options, 'explain', runtime);
  // fromEntries keeps an attribute __proto__.
  const explanation = explain(compiled, { namespace, flag, entity, attributes: Object.fromEntries(context) });
  print(json ? printableJson(explanation) : explanationText(explanation));
  const { answer } = explanation;
  if (answer.kind === 'unreadable') {
    complain(
      `This version of the package cannot read the flag ${quoted(flag)}: ${answer.reason}; update the package`,
    );
    return 1;
  }
  if (answer.kind !== 'missing') return 0;
  const missing = `There is no flag ${quoted(flag)} in namespace ${quoted(namespace)}`;
  const holders = beside.filter(({ flags }) => flags.has(flag)).map(({ key }) => quoted(key));
  if (holders.length > 0) complain(`${missing}. It is in ${holders.join(', ')}: choose with --namespace`);
  else if (features.flags.size === 0)
    complain(`${missing}, which has no flags; choose another with --namespace`);
  else complain(missing + didYouMean(flag, features.flags.keys()));
  return NO_SUCH_FLAG;
}

export function attribute(
  text: string,
  before: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const end = text.indexOf('=');
  const name = text.slice(0, Math.max(0, end));
  if (name === '') throw new InvalidArgumentError('Expected NAME=VALUE.');
  if (name === 'targetingKey') throw new InvalidArgumentError('Give the targetingKey as --entity.');
  if (before.has(name)) throw new InvalidArgumentError(`${quoted(name)} is given twice.`);
  return new Map([...before, [name, text.slice(end + 1)]]);
}

export const EXPLAIN_HELP = `
${CREDENTIALS}
The exit code is 2 if there is no such flag, and 1 for any other error.

Example
  openfeature-flipt-provider explain --url http://localhost:8080 --flag banner --entity user-1 --context plan=pro`;
