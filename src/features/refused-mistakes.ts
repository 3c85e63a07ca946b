import { memberOf } from './document-parts.js';
import { pathText, type DocumentPath, type Mistake } from './features-error.js';
import { isFormatBefore, versionFor, type FileReader } from './format-versions.js';
import { valueAt } from './mistake-words.js';

/*
 * This package refuses some probable mistakes in features files that Flipt accepts. Each row of the table TAKEN is one
 * kind of mistake that some parts or releases of Flipt ("readers") accept. The rows come from the answers of real
 * servers, which are recorded in test/recordings/refusals. The test refusals.alone.test.ts compares the table TAKEN
 * with the recordings. The test refusals.alone.test.ts also fails if a message changes so that its row in TAKEN no
 * longer matches.
 */

interface Taken {
  /** Matches the path and the message of a mistake, such as `flags[].key: missing`. The path contains no numbers. */
  readonly mistake: RegExp;
  /** Matches the mistakes to which this row does not apply although `mistake` matches them. Default: none. */
  readonly except?: RegExp;
  readonly by: readonly FileReader[];
  /** Returns whether this row applies to this value in this document. Default: any value. */
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
  { mistake: /^[^:]*\.(?:type|match_type): expected .*, got (?:"|null)/, by: IMPORT },
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
  { mistake: /^[^:]*\.operator: expected OR_SEGMENT_OPERATOR .*, got "/, by: IMPORT },
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
  { mistake: /^[^:]*\.value: expected a JSON array of .*, got "(?!"$)/, by: ALL },
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
 * Returns a function that says which parts and releases of Flipt refuse a mistake. `mistakes` must contain all mistakes
 * of one document.
 */
export function refusersIn(
  given: unknown,
  mistakes: readonly Mistake[],
): (mistake: Mistake) => readonly FileReader[] {
  const isContinued = mistakes.some(({ wrong }) => wrong.endsWith('already has a document'));
  return (mistake) => {
    // All versions of Flipt accept several documents for one namespace. In such a file, a rule can name a segment of
    // another document.
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
