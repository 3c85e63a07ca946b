import { beginningOf, isRecord, kindOf, quoted, unsteered } from '../base/text/describe.js';
import { memberOf, textOf } from './document-parts.js';
import type { DocumentPath } from './features-error.js';
import { versionFor, type FileReader, type LintedVersion } from './format-versions.js';
import { REFUSALS, type FliptRefusal } from './refused-by-flipt.js';

/**
 * Something in a document that Flipt refuses, although this package can read it. Each member that is a text is a whole
 * sentence.
 */
export interface FoundRefusal {
  readonly path: DocumentPath;
  /** The sentence that says what is written in the document. */
  readonly problem: string;
  /** The sentence that says what Flipt does because of the problem. */
  readonly effect: string;
  /** The sentence that says what to write instead. */
  readonly fix: string;
  /**
   * Whether the main reader of the chosen semantics refuses the part: the import of v1 for `v1`, release 2.9 for
   * `v2.8`, or release 2.11 for `v2`. If it is false, only another reader with the same semantics refuses the part: the
   * file storage of v1, or the releases 2.9 and 2.10.
   */
  readonly isCertain: boolean;
}

/**
 * For each version of Flipt, the readers of files that evaluate by its rules. The first reader stands for all readers
 * of that version.
 */
export const READERS_OF: Readonly<Record<LintedVersion, readonly [FileReader, ...(readonly FileReader[])]>> =
  {
    v1: ['v1 import', 'v1 files'],
    'v2.8': ['2.9'],
    'v2.9': ['2.9'],
    'v2.10': ['2.10'],
    v2: ['2.11', '2.10', '2.9'],
  };

/**
 * Returns what Flipt refuses in the documents of a file. The documents are given as they were written, without
 * defaults. The result has a list for each document.
 */
export function refusalsIn(documents: readonly unknown[], by: LintedVersion): readonly FoundRefusal[][] {
  const readers = READERS_OF[by];
  const byReader = readers.map((reader) => refusedBy(reader, documents));
  return documents.map((given, at) => {
    const places = new Map<string, Refused>();
    for (const refused of byReader.flatMap((found) => found[at] ?? [])) {
      const place = `${refused.path.join('.')} ${refused.refusal.but}`;
      if (!places.has(place)) places.set(place, refused);
    }
    return Array.from(places.values(), ({ refusal, path, value, reader }) => ({
      path,
      problem: problemOf(memberWords(given, path), areMany(path), shown(value), refusal.but),
      effect: effectOf(reader, refusal.by),
      fix: refusal.fix,
      isCertain: reader === readers[0],
    }));
  });
}

/** A member that a reader refuses. */
interface Refused extends Omit<Member, 'holder'> {
  readonly refusal: FliptRefusal;
  readonly reader: FileReader;
}

/**
 * Returns what one reader, such as the import of v1, refuses in the documents of a file. The result has a list for each
 * document.
 */
export function refusedBy(reader: FileReader, documents: readonly unknown[]): readonly Refused[][] {
  const first = memberOf(documents[0], 'version');
  return documents.map((given, index) => {
    // The import of v1 reads the format version of the first document only, and applies that version to all documents.
    const isRead = reader !== 'v1 import' || index === 0;
    const version = versionFor(reader, isRead ? memberOf(given, 'version') : first);
    return REFUSALS.flatMap((refusal) => {
      if (!refusal.by.includes(reader) || (!isRead && refusal.at.includes('version'))) return [];
      return refusal.at.flatMap((at) =>
        Array.from(membersAt(given, at.split('.')))
          .filter(({ value, holder }) => refusal.refuses(value, { reader, holder, version }))
          .map(({ value, path }) => ({ refusal, reader, value, path })),
      );
    });
  });
}

/** Returns a sentence about a member, such as `The rollouts of flag "a" are null, but must have a value`. */
function problemOf(member: string, many: boolean, value: string, but: string): string {
  if (!many) return `${member} is ${value}, but ${but}.`;
  return `${member} are ${value}, but ${but.replace(/^(exist|belong)s /, '$1 ')}.`;
}

const LISTS = ['flags', 'segments', 'variants', 'rules', 'rollouts', 'constraints', 'distributions', 'keys'];

/** Whether a path leads to a member whose name is a plural, such as the rollouts of a flag. */
export function areMany(path: DocumentPath): boolean {
  return LISTS.includes(String(path.at(-1))) && path.at(-2) !== 'metadata';
}

/** Returns a sentence about what a reader does because of something that the readers `by` refuse. */
export function effectOf(reader: FileReader, by: readonly FileReader[]): string {
  if (reader === 'v1 import') return 'Flipt v1 stops its import here.';
  if (reader === 'v1 files') {
    return 'An import of Flipt v1 accepts it; Flipt v1 does not start if its local, Git or object storage holds it.';
  }
  if (reader === '2.9') {
    return `Flipt up to 2.9 serves no flag of this environment${by.includes('2.10') ? '' : '; 2.10 takes it'}.`;
  }
  if (reader === '2.10') {
    return `Flipt ${by.includes('2.9') ? 'up to ' : ''}2.10 serves no flag of this environment; 2.11 takes it.`;
  }
  const older = (['2.9', '2.10'] as const).filter((release) => !by.includes(release));
  const takes =
    older.length === 0 ? '' : `; ${older.join(' and ')} ${older.length === 1 ? 'takes' : 'take'} it`;
  return `Flipt 2.11 serves no flag of this environment${takes}${by.includes('next') ? '' : '; its newest commit takes it'}.`;
}

interface Member {
  readonly value: unknown;
  readonly holder: unknown;
  readonly path: DocumentPath;
}

/**
 * Yields the members of a document at a place such as `flags[].name`. If a member is missing, its value is `undefined`.
 */
function* membersAt(
  holder: unknown,
  [part = '', ...rest]: readonly string[],
  path: DocumentPath = [],
): Iterable<Member> {
  if (!isRecord(holder)) return;
  const isList = part.endsWith('[]');
  for (const name of part === '*' ? Object.keys(holder) : [isList ? part.slice(0, -2) : part]) {
    const value = memberOf(holder, name);
    const here = [...path, name];
    if (isList) {
      for (const [index, item] of Array.isArray(value) ? value.entries() : [])
        yield* membersAt(item, rest, [...here, index]);
    } else if (rest.length > 0) yield* membersAt(value, rest, here);
    else yield { value, holder, path: here };
  }
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    typeof value === 'bigint'
  ) {
    return String(value);
  }
  if (typeof value !== 'string') return kindOf(value);
  const text = beginningOf(value);
  // A list that is written as text contains double quotes, so single quotes around it are easier to read.
  return text.includes('"') && !/['\\]/.test(text) ? `'${unsteered(text)}'` : quoted(text);
}

/**
 * Returns words for the part at a path and for what the part belongs to, such as `The name of variant "x" of flag "a"`
 * or `Flag "a"`. For an empty path, the words are `The document`.
 */
export function memberWords(given: unknown, path: DocumentPath): string {
  const owners: string[] = [];
  let holder = given;
  for (const [at, part] of path.entries()) {
    holder = typeof part === 'number' ? itemOf(holder, part) : memberOf(holder, part);
    const list = path[at - 1];
    if (typeof part === 'number' && typeof list === 'string') owners.unshift(ownerWords(holder, list, part));
  }
  const words = owners.join(' of ') || 'the document';
  const names = path.slice(path.findLastIndex((part) => typeof part === 'number') + 1);
  const all = names.length === 0 ? words : `the ${unsteered(names.join('.'))} of ${words}`;
  return all.charAt(0).toUpperCase() + all.slice(1);
}

function itemOf(list: unknown, index: number): unknown {
  return Array.isArray(list) ? list[index] : undefined;
}

/**
 * Returns words for an item of a list: its key, such as `flag "a"`, or its number if the item has no key, such as `rule
 * 1`.
 */
function ownerWords(item: unknown, list: string, index: number): string {
  const kind = list.replace(/s$/, '');
  const key = textOf(item, 'key');
  return key === undefined ? `${kind} ${index + 1}` : `${kind} ${quoted(beginningOf(key))}`;
}
