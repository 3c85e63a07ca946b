import type { Environment } from '../../options/environment.js';
import { quoted } from '../../text/describe.js';
import type { OptionValues } from '../command-options.js';
import { readSource } from '../features-source/file-or-flipt.js';
import { WrongArgument } from '../command-error.js';

export type ExplainArguments = ReturnType<typeof readExplain>;

/** Throws a {@link WrongArgument}. */
export function readExplain(values: OptionValues, env: Environment) {
  const { flag, entity = '', context = [], json = false } = values;
  if (!flag) throw new WrongArgument('--flag: missing; expected the key of a flag');
  return { flag, entity, attributes: attributesOf(context), isJson: json, source: readSource(values, env) };
}

function attributesOf(context: readonly string[]): Readonly<Record<string, string>> {
  // Without a prototype, so that an attribute may be called __proto__.
  const attributes = Object.create(null) as Record<string, string>;
  for (const text of context) {
    const [name, value] = nameAndValue(text);
    if (name === 'targetingKey') throw new WrongArgument('--context targetingKey: expected it as --entity');
    if (Object.hasOwn(attributes, name)) throw new WrongArgument(`--context ${quoted(name)}: given twice`);
    attributes[name] = value;
  }
  return attributes;
}

function nameAndValue(text: string): readonly [name: string, value: string] {
  const end = text.indexOf('=');
  if (end < 1) throw new WrongArgument(`--context: expected NAME=VALUE, got ${quoted(text)}`);
  return [text.slice(0, end), text.slice(end + 1)];
}
