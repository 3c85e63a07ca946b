import { isRecord } from '../base/text/describe.js';
import { memberOf } from './document-parts.js';
import { pathText, type Mistake } from './features-error.js';
import { isFormatBefore, versionFor, type FileReader } from './format-versions.js';
import type { Wrong } from './mistake-kinds.js';
import { valueAt } from './mistake-words.js';

/*
 * This package refuses some probable mistakes in features files although Flipt accepts them. Each row of the table
 * TAKEN describes mistakes that some parts or releases of Flipt ("readers") accept. The rows come from the answers of
 * real servers, which are recorded in test/recordings/refusals. The test refusals.alone.test.ts compares the table
 * TAKEN with the recordings.
 */

interface Taken {
  readonly kind: Wrong['kind'];
  /** Matches the path of a mistake, such as `flags[].key`. The path contains no numbers. Default: any path. */
  readonly at?: RegExp;
  readonly by: readonly FileReader[];
  /** Returns whether this row applies to the value at the path of the mistake. Default: any value. */
  readonly when?: (value: unknown, wrong: Wrong, given: unknown) => boolean;
}

const IMPORT = ['v1 import'] as const;
const SCHEMAS = ['v1 files', '2.9', '2.10', '2.11', 'next'] as const;
const ALL = [...IMPORT, ...SCHEMAS] as const;

const isNull = (value: unknown) => value === null;
const isText = (value: unknown) => typeof value === 'string';
const hasNone =
  (...names: readonly string[]) =>
  (value: unknown) =>
    isRecord(value) && names.every((name) => memberOf(value, name) == null);

const TAKEN: readonly Taken[] = [
  { kind: 'unknown-member', by: IMPORT },
  { kind: 'missing', at: /(?:flags|segments)\[\]\.key$/, by: IMPORT },
  { kind: 'missing', at: /\.(?:percentage|rollout|type|property|operator)$/, by: IMPORT },
  { kind: 'wrong-type', at: /(?<!\.variant|rollouts\[\]|rules\[\]\.segment)$/, when: isNull, by: IMPORT },
  { kind: 'wrong-type', at: /\.(?:type|match_type|segment\.operator)$/, when: isText, by: IMPORT },
  { kind: 'wrong-type', at: /^namespace$|rules\[\]\.segment$/, when: isRecord, by: IMPORT },
  { kind: 'wrong-type', at: /^namespace$/, when: hasNone('key'), by: ['v1 files'] },
  {
    kind: 'wrong-type',
    at: /rules\[\]\.segment$/,
    when: (value) => isRecord(value) && Object.keys(value).every((name) => name === 'operator'),
    by: SCHEMAS,
  },
  { kind: 'wrong-value', at: /^namespace(?:\.key)?$|\[\]\.key$|\.rollout$/, by: IMPORT },
  { kind: 'wrong-value', at: /\.percentage$/, by: ALL },
  { kind: 'wrong-value', at: /\.rank$/, when: (value) => /^\d+\./.test(String(value)), by: IMPORT },
  { kind: 'wrong-value', at: /\.rank$/, when: (value) => /^\d+$/.test(String(value)), by: ALL },
  { kind: 'wrong-value', at: /constraints\[\]\.value$/, when: (value) => Boolean(value), by: ALL },
  {
    kind: 'wrong-value',
    at: /constraints\[\]\.value$/,
    when: (_value, _wrong, given) => !isFormatBefore(versionFor('2.11', memberOf(given, 'version')), '1.6'),
    by: ['2.11', 'next'],
  },
  { kind: 'empty', at: /\.property$/, by: IMPORT },
  { kind: 'empty', at: /\.keys$/, by: ALL },
  { kind: 'long', by: ALL },
  { kind: 'unquoted', at: /\.value$/, when: isText, by: ['2.9', '2.10', '2.11', 'next'] },
  { kind: 'repeated-namespace', by: ALL },
  { kind: 'repeated-key', at: /(?:variants|segments)\[\]\.key$/, by: SCHEMAS },
  { kind: 'several-defaults', by: ALL },
  { kind: 'rollouts-of-variant-flag', by: [...IMPORT, 'v1 files', '2.9'] },
  { kind: 'either', at: /\.segment$/, when: hasNone('key', 'keys'), by: IMPORT },
  { kind: 'either', at: /rollouts\[\]$/, when: hasNone('segment', 'threshold'), by: SCHEMAS },
  {
    kind: 'unknown-key',
    at: /\.segment$/,
    when: (_, wrong) => 'key' in wrong && wrong.key === '',
    by: IMPORT,
  },
  { kind: 'wrong-operator', by: IMPORT },
  {
    kind: 'wrong-operator',
    when: (value, wrong) => value === 'le' && 'type' in wrong && /^(?:NUMBER|DATETIME)/.test(wrong.type),
    by: ['v1 files', '2.9', '2.10', '2.11'],
  },
];

/**
 * Returns a function that says which parts and releases of Flipt refuse a mistake. `mistakes` must contain all mistakes
 * of one document.
 */
export function refusersIn(
  given: unknown,
  mistakes: readonly Mistake[],
): (mistake: Mistake) => readonly FileReader[] {
  const isContinued = mistakes.some(({ wrong }) => wrong.kind === 'repeated-namespace');
  return (mistake) => {
    const { wrong } = mistake;
    // All versions of Flipt accept several documents for one namespace. If a file has several documents for one
    // namespace, a rule can name a segment of another document.
    if (isContinued && wrong.kind === 'unknown-key' && wrong.part === 'segment') return [];
    return refusersOf(mistake, given);
  };
}

function refusersOf({ path, wrong }: Mistake, given: unknown): readonly FileReader[] {
  const place = pathText(path).replace(/\[\d+\]/g, '[]');
  const rows = TAKEN.filter(
    ({ kind, at, when }) =>
      kind === wrong.kind &&
      at?.test(place) !== false &&
      when?.(valueAt(given, path), wrong, given) !== false,
  );
  return ALL.filter((reader) => !rows.some(({ by }) => by.includes(reader)));
}
