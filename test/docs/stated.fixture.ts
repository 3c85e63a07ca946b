import { textOf } from './pages.fixture.js';

/** A member of an interface, from its source. */
export interface Member {
  readonly name: string;
  /** Its doc comment, in one line. */
  readonly comment: string;
  readonly type: string;
  readonly isOptional: boolean;
}

/** A member as the formatter lays it out: its doc comment, its name, and then its type or, of a method, the parameters. */
const MEMBER =
  /^ {2}(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\n {2})?(?:readonly )?(\w+)(\??)(:\s+|[(<])([^]+?);\n(?= {2}\S|$)/gm;

/** Its properties. Reads the text: TypeScript's compiler takes half a second to load, for each test file. */
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
 * Reads `Default 50.`, or `Default: FLIPT_URL, else` and an address. Text in brackets, or after a comma, is ignored.
 * Throws unless exactly one default is stated.
 */
export function stated({ name, comment }: Member): Stated {
  const plain = comment.replace(/ \([^)]*\)/g, '');
  const [sentence, ...others] = [...plain.matchAll(/\bDefault:? (.+?)[.;:](?: |$)/g)].map(
    ([, words = '']) => words,
  );
  if (sentence === undefined || others.length > 0)
    throw new Error(`${name}: expected one default in: ${comment}`);
  const variables = sentence.match(/FLIPT_\w+/g) ?? [];
  const value = variables.length === 0 ? sentence : (sentence.split(', else ')[1] ?? '');
  return { value: withoutQuotes(value.split(', ', 1)[0] ?? ''), variables };
}

/** The default of one member. */
export function statedDefault(file: string, interfaceName: string, member: string): string {
  const found = membersOf(file, interfaceName).find(({ name }) => name === member);
  if (found === undefined) throw new Error(`${file}: ${interfaceName} has no ${member}`);
  return stated(found).value;
}

function withoutQuotes(text: string): string {
  return text.replace(/[`']/g, '');
}

/** A row of the table of options in the README. */
export interface Row {
  readonly option: string;
  readonly value: string;
  readonly variables: readonly string[];
  readonly meaning: string;
}

export function readmeOptions(): readonly Row[] {
  const [, table = ''] = /^\| Option .*\n\| --.*\n((?:\|.*\n)+)/m.exec(textOf('README.md')) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, option = '', value = '', environment = '', meaning = ''] = line
        .split('|')
        .map((cell) => cell.trim());
      const variables = environment.match(/FLIPT_\w+/g) ?? [];
      return { option: withoutQuotes(option), value: withoutQuotes(value), variables, meaning };
    });
}

/** What a row says about an option of its group: a number after its name, or that there is none. */
export function readmeMember({ meaning, option }: Row, name: string): string {
  const [, value] = new RegExp(`\`${name}\`(?: (\\d+|true|false))?`).exec(meaning) ?? [];
  if (!meaning.includes(`\`${name}\``)) throw new Error(`README.md: ${option} does not name ${name}`);
  return value ?? 'none';
}
