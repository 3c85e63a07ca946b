import { memberOf } from './document-parts.js';
import { pathText, type DocumentPath, type Mistake } from './features-error.js';
import { isFormatBefore, versionFor, type FileReader } from './format-versions.js';
import { valueAt } from './mistake-words.js';

/*
 * This package refuses probable mistakes. Flipt refuses most of these mistakes, too, but accepts some of them. Each row
 * of the table below is one kind of mistake that some readers of Flipt accept. Each row comes from what real servers
 * said: test/recordings/refusals has the documents, and test/features/refusals.alone.test.ts compares the table with
 * them. That test also fails if a message changes so that the row for the message no longer matches.
 */

interface Taken {
  /** Matches `path: message`, in which the path has no numbers, such as `flags[].key: missing`. */
  readonly mistake: RegExp;
  /** Matches those for which the row does not hold. Default: none. */
  readonly except?: RegExp;
  readonly by: readonly FileReader[];
  /** Whether the row is about this value in this document. Default: any value. */
  readonly when?: (value: unknown, given: unknown) => boolean;
}

const IMPORT = ['v1 import'] as const;
const SCHEMAS = ['v1 files', '2.9', '2.10', '2.11', 'next'] as const;
const ALL = [...IMPORT, ...SCHEMAS] as const;

const hasNot =
  (...names: readonly string[]) =>
  (value: unknown) =>
    names.some((name) => memberOf(value, name) == null);

const TAKEN: readonly Taken[] = [
  { mistake: /: unknown member(?!; did you mean threshold:)/, by: IMPORT },
  { mistake: /: expected letters, digits/, by: IMPORT },
  { mistake: /(?:flags|segments)\[\]\.key: missing$/, by: IMPORT },
  { mistake: /\.(?:percentage|rollout): missing$/, by: IMPORT },
  { mistake: /constraints\[\]\.(?:type|property|operator): missing$/, by: IMPORT },
  {
    mistake: /: expected a (?:mapping|number|string), got null/,
    except: /^[^:]*(?:\.variant|rollouts\[\]): /,
    by: IMPORT,
  },
  { mistake: /: expected the name of an attribute/, by: IMPORT },
  { mistake: /^[^:]*\.(?:type|match_type): expected .*, got (?:["\d]|null|true)/, by: IMPORT },
  { mistake: /^namespace: expected a namespace key.*, got a mapping$/, by: IMPORT },
  {
    mistake: /^namespace: expected a namespace key.*, got a mapping$/,
    by: ['v1 files'],
    when: hasNot('key'),
  },
  { mistake: /^namespace: .* already has a document$/, by: ALL },
  { mistake: /^[^:]*\.rank: expected a whole number .*, got \d+\./, by: IMPORT },
  { mistake: /^[^:]*\.rank: expected a whole number .*, got \d+$/, by: ALL },
  { mistake: /\.percentage: expected a percentage/, by: ALL },
  { mistake: /\.rollout: expected a percentage/, by: IMPORT },
  { mistake: /variants: expected at most one default variant/, by: ALL },
  { mistake: /^[^:]*(?:variants|segments)\[\]\.key: .* occurs twice$/, by: SCHEMAS },
  { mistake: /\.segment: expected the key of a segment of this document, got ""$/, by: IMPORT },
  { mistake: /^[^:]*rules\[\]\.segment: expected the key of a segment, or .*, got a mapping$/, by: IMPORT },
  {
    mistake: /^[^:]*rules\[\]\.segment: expected the key of a segment, or .*, got a mapping$/,
    by: SCHEMAS,
    when: (value) => Object.keys(value ?? {}).every((name) => name === 'operator'),
  },
  { mistake: /: expected at least one segment key/, by: ALL },
  { mistake: /^[^:]*\.operator: expected OR_SEGMENT_OPERATOR .*, got ["\d]/, by: IMPORT },
  { mistake: /\.segment: expected either key or keys$/, by: IMPORT, when: hasNot('key', 'keys') },
  {
    mistake: /rollouts\[\]: expected either segment or threshold$/,
    by: SCHEMAS,
    when: (value) => hasNot('segment', 'threshold')(value) && !Array.isArray(value),
  },
  { mistake: /\.rollouts: only a BOOLEAN_FLAG_TYPE has rollouts$/, by: [...IMPORT, 'v1 files', '2.9'] },
  {
    mistake: /^[^:]*\.operator: expected one of .* for (?:NUMBER|DATETIME)\w+, got "le"$/,
    by: ['v1 files', '2.9', '2.10', '2.11'],
  },
  { mistake: /\.operator: expected one of/, by: IMPORT },
  { mistake: /^[^:]*\.value: expected a JSON array of .*, got "[^"]/, by: ALL },
  {
    mistake: /^[^:]*\.value: expected a JSON array of .*, got ""$/,
    by: ['2.11', 'next'],
    when: (_value, given) => !isFormatBefore(versionFor('2.11', memberOf(given, 'version')), '1.6'),
  },
  { mistake: /\.value: expected at most \d+ members/, by: ALL },
  { mistake: /\.value: expected (?:a number|a date)/, by: ALL },
  { mistake: /\.value: expected no date/, by: ['2.9', '2.10', '2.11', 'next'] },
];

/**
 * Returns a function that returns the readers of Flipt that refuse a mistake. `mistakes` must contain all mistakes of
 * one document.
 */
export function refusersIn(
  given: unknown,
  mistakes: readonly Mistake[],
): (mistake: Mistake) => readonly FileReader[] {
  const isContinued = mistakes.some(({ wrong }) => wrong.endsWith('already has a document'));
  return (mistake) => {
    // A reader that accepts several documents for one namespace knows the segments of all these documents.
    if (isContinued && mistake.wrong.startsWith('expected the key of a segment of this document')) return [];
    return refusersOf(mistake, given);
  };
}

function refusersOf(mistake: Mistake, given: unknown): readonly FileReader[] {
  const said = `${withoutNumbers(mistake.path)}: ${mistake.wrong}`;
  const rows = TAKEN.filter(({ mistake: pattern, except, when }) => {
    if (!pattern.test(said) || except?.test(said) === true) return false;
    return when?.(valueAt(given, mistake.path), given) ?? true;
  });
  return ALL.filter((reader) => !rows.some(({ by }) => by.includes(reader)));
}

function withoutNumbers(path: DocumentPath): string {
  return pathText(path).replace(/\[\d+\]/g, '[]');
}
