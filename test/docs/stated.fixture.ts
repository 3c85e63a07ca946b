import { tableOf, textOf } from './pages.fixture.js';

/** A member of an interface, from its source. */
export interface Member {
  readonly name: string;
  /** The member's doc comment, in one line. */
  readonly comment: string;
  readonly type: string;
  readonly isOptional: boolean;
}

/**
 * This matches a member as the formatter lays it out: its doc comment, its name, and then its type or, of a method, the
 * parameters.
 */
const MEMBER =
  /^ {2}(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2})?(?:readonly )?(\w+)(\??)(:\s+|[(<])([^]+?);\n(?= {2}\S|$)/gm;

/**
 * Returns the properties of an interface. It reads the text, because TypeScript's compiler takes half a second to load,
 * for each test file.
 */
export function membersOf(file: string, interfaceName: string): readonly Member[] {
  const declared = new RegExp(`^export interface ${interfaceName}\\b[^{]*\\{\n(.*?)^\\}`, 'ms');
  const [, body] = declared.exec(textOf(file)) ?? [];
  if (body === undefined) throw new Error(`${file} has no interface ${interfaceName}`);
  const rest = body.replace(MEMBER, '').trim();
  if (rest !== '') throw new Error(`${file}: ${interfaceName}: expected members, got ${rest}`);
  const properties = [...body.matchAll(MEMBER)].filter(([, , , , mark = '']) => mark.startsWith(':'));
  return properties.map(([, comment = '', name = '', optional, , type = '']) => ({
    name,
    comment: comment
      .replace(/^ +\* ?/gm, '')
      .replace(/\s+/g, ' ')
      .trim(),
    type,
    isOptional: optional === '?',
  }));
}

/** What a doc comment says about a member that is left out. */
export interface Stated {
  readonly value: string;
  /** The environment variables that are read first. */
  readonly variables: readonly string[];
}

/**
 * Reads a default such as `Default 50.`, or `Default: FLIPT_URL, else` and an address. It ignores text in brackets, or
 * after a comma. Throws unless exactly one default is stated.
 */
export function stated({ name, comment }: Member): Stated {
  const plain = comment.replace(/ \([^)]*\)/g, '');
  const [sentence, ...others] = [...plain.matchAll(/\bDefault:? (.+?)[.;:](?: |$)/g)].map(
    ([, words = '']) => words,
  );
  if (sentence === undefined || others.length > 0)
    throw new Error(`${name}: expected one default in: ${comment}`);
  return defaultIn(sentence);
}

/** Reads both parts of a default such as `FLIPT_URL, else` and an address. */
function defaultIn(sentence: string): Stated {
  const variables = sentence.match(/FLIPT_\w+/g) ?? [];
  const value = variables.length === 0 ? sentence : (sentence.split(', else ')[1] ?? 'none');
  return { value: withoutQuotes(value.split(', ', 1)[0] ?? ''), variables };
}

/** Returns the default that the doc comment of one member states. */
export function statedDefault(file: string, interfaceName: string, member: string): string {
  const found = membersOf(file, interfaceName).find(({ name }) => name === member);
  if (found === undefined) throw new Error(`${file}: ${interfaceName} has no ${member}`);
  return stated(found).value;
}

function withoutQuotes(text: string): string {
  return text.replace(/[`']/g, '');
}

/** A row of a table of options: what it says of a default, and of the variables that are read first. */
export interface Row extends Stated {
  /** The option's path, such as `cache.freshForMs`. */
  readonly option: string;
}

export function optionRows(page: 'README.md' | 'docs/options.md'): readonly Row[] {
  return tableOf(page, 'Option', 'Default', 'Meaning').map(([option = '', words = '']) => ({
    option: withoutQuotes(option),
    ...defaultIn(words),
  }));
}
