import { beginningOf, isRecord, kindOf, quoted, unsteered } from '../base/text/describe.js';
import { memberOf, textOf } from './document-parts.js';
import type { DocumentPath } from './features-error.js';
import { versionFor, type FileReader, type LintedVersion } from './format-versions.js';
import { REFUSALS, type FliptRefusal } from './refused-by-flipt.js';

/**
 * A part of a document that Flipt refuses although this package can read it. The texts `problem`, `effect` and `fix`
 * are whole sentences.
 */
export interface FoundRefusal {
  readonly path: DocumentPath;
  /** Says what is written in the document. */
  readonly problem: string;
  /** Says what Flipt does because of the problem. */
  readonly effect: string;
  /** Says what to write instead. */
  readonly fix: string;
  /**
   * Is `true` if the main reader of the chosen version refuses the part: for `v1`, the import of Flipt v1; for `v2.8`
   * and `v2.9`, release 2.9; for `v2.10`, release 2.10; for `v2`, release 2.11. If `isCertain` is `false`, only other
   * readers that evaluate by the same rules refuse the part: the file storage of Flipt v1, or release 2.9 or 2.10.
   */
  readonly isCertain: boolean;
}

/**
 * For each version of Flipt that a user can choose, the parts and releases of Flipt ("readers") that read features
 * files and evaluate by the rules of that version. If the first reader in the list of a version refuses something,
 * `lint` says that this version refuses it.
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
 * Returns what Flipt refuses in the documents of a file: one list for each document. Pass the documents as they were
 * written, without defaults.
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

/** A member of a document that a reader, such as the import of Flipt v1, refuses. */
interface Refused extends Omit<Member, 'holder'> {
  readonly refusal: FliptRefusal;
  readonly reader: FileReader;
}

/**
 * Returns what one reader, such as the import of Flipt v1, refuses in the documents of a file: one list for each
 * document.
 */
export function refusedBy(reader: FileReader, documents: readonly unknown[]): readonly Refused[][] {
  const first = memberOf(documents[0], 'version');
  return documents.map((given, index) => {
    // The import of Flipt v1 reads only the first document's `version`, and applies this version to all documents of
    // the file.
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

/** Returns whether a path leads to a member whose name is a plural, such as the rollouts of a flag. */
export function areMany(path: DocumentPath): boolean {
  return LISTS.includes(String(path.at(-1))) && path.at(-2) !== 'metadata';
}

/** Returns a sentence that says what `reader` does about something that the readers in `by` refuse. */
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
 * Yields all members of a document that match a pattern such as `flags[].name`. If a member is missing, its value is
 * `undefined`.
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
  // Single quotes are easier to read around a text that contains double quotes, such as a JSON array.
  return text.includes('"') && !/['\\]/.test(text) ? `'${unsteered(text)}'` : quoted(text);
}

/**
 * Describes the part of a document at a path, such as `The name of variant "x" of flag "a"` or `Flag "a"`. For an empty
 * path, the description is `The document`.
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
 * Describes an item of a list by its key, such as `flag "a"`. If the item has no key, the function describes the item
 * by its number, such as `rule 1`.
 */
function ownerWords(item: unknown, list: string, index: number): string {
  const kind = list.replace(/s$/, '');
  const key = textOf(item, 'key');
  return key === undefined ? `${kind} ${index + 1}` : `${kind} ${quoted(beginningOf(key))}`;
}
