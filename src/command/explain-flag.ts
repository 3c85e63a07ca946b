import { explain } from '../engine/explain.js';
import { explanationText } from '../engine/explanation-text.js';
import type { Environment } from '../options/environment.js';
import { didYouMean } from '../base/text/closest-name.js';
import { quoted } from '../base/text/describe.js';
import { WrongArgument, type CommandRuntime, type OptionValues } from './command.js';
import { loadFeatures, readSource } from './features-source.js';
import { printableJson } from './printable-json.js';

const UNREADABLE = 1;
const NO_SUCH_FLAG = 2;

/** Prints why a flag has its value for an entity, and resolves with the exit code. */
export async function explainFlag(values: OptionValues, runtime: CommandRuntime): Promise<number> {
  const { print, complain, env } = runtime;
  const { source, flag, entity, attributes, isJson } = readExplain(values, env);
  const { namespace, compiled, features, beside } = await loadFeatures(source, 'explain', runtime);
  const explanation = explain(compiled, { namespace, flag, entity, attributes });
  print(isJson ? printableJson(explanation) : explanationText(explanation));
  const { answer } = explanation;
  if (answer.kind === 'unreadable') {
    complain(
      `This version of the package cannot read the flag ${quoted(flag)}: ${answer.reason}; update the package`,
    );
    return UNREADABLE;
  }
  if (answer.kind !== 'missing') return 0;
  const flagKeys = [...features.flags.keys()];
  const holders = beside.filter(({ flags }) => flags.has(flag)).map(({ key }) => quoted(key));
  const missing = `There is no flag ${quoted(flag)} in namespace ${quoted(namespace)}`;
  const elsewhere = ', which has no flags; choose another with --namespace';
  if (holders.length > 0) {
    const where = `namespace${holders.length === 1 ? '' : 's'} ${holders.join(', ')}`;
    complain(`${missing}. It is in ${where}: choose with --namespace`);
    return NO_SUCH_FLAG;
  }
  complain(missing + (flagKeys.length === 0 ? elsewhere : didYouMean(flag, flagKeys)));
  return NO_SUCH_FLAG;
}

/** Reads the options of `explain`. Throws a {@link WrongArgument} if an option is wrong. */
export function readExplain(values: OptionValues, env: Environment) {
  const { flag, entity = '', context = [], json = false } = values;
  if (!flag) throw new WrongArgument('--flag: missing; expected the key of a flag');
  return { flag, entity, attributes: attributesOf(context), isJson: json, source: readSource(values, env) };
}

function attributesOf(context: readonly string[]): Readonly<Record<string, string>> {
  // The object has no prototype, so that an attribute can have the name `__proto__`.
  const attributes = Object.create(null) as Record<string, string>;
  for (const text of context) {
    const end = text.indexOf('=');
    if (end < 1) throw new WrongArgument(`--context: expected NAME=VALUE, got ${quoted(text)}`);
    const name = text.slice(0, end);
    if (name === 'targetingKey')
      throw new WrongArgument('--context targetingKey: give it as --entity instead');
    if (Object.hasOwn(attributes, name)) throw new WrongArgument(`--context ${quoted(name)}: is given twice`);
    attributes[name] = text.slice(end + 1);
  }
  return attributes;
}
