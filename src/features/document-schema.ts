import * as v from 'valibot';
import { COMPARISON_TYPES, MATCH_TYPES, SEGMENT_OPERATORS, type Rollout } from '../engine/features.js';
import { closestName } from '../base/text/closest-name.js';
import { isRecord, beginningOf, unsteered } from '../base/text/describe.js';
import type { Report } from './features-error.js';
import type { Wrong } from './mistake-kinds.js';
import { segmentChoice, rolloutPercentage } from './normal-forms.js';

/**
 * Matches a key of a namespace, a flag or a segment. Flipt's management API, and Flipt's schema for features files,
 * refuse other keys, but an import of Flipt v1 accepts them.
 */
export const KEY_SYNTAX = /^[-_,A-Za-z0-9]+$/;

// Each message in the schema below names only what was expected, such as `a list`. The function `wrongOf` turns an
// issue with its message into a mistake.

/**
 * If a mapping has an unknown member, the schema's message lists the names of the known members. From this list, the
 * function `unknownMember` chooses the name that it suggests.
 */
const mapping = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject(entries, ({ expected }) =>
    expected === 'never' ? Object.keys(entries).join(' ') : A_MAPPING,
  );

const A_MAPPING = 'a mapping';
const A_LIST = 'a list';

const string = v.string('a string');
const number = v.number('a number');
const key = v.pipe(
  string,
  v.regex(KEY_SYNTAX, 'letters, digits, "-", "_" and "," only, and at least one of them'),
);
const text = v.nullish(string, '');
const about = { name: text, description: text };
const flag = v.nullish(v.boolean('true or false'), false);
const PERCENT = 'a percentage from 0 to 100';
const percent = v.pipe(number, v.minValue(0, PERCENT), v.maxValue(100, PERCENT));
const list = <Item extends v.GenericSchema>(item: Item) => v.nullish(v.array(item, A_LIST), []);
const oneOf = <const Words extends readonly string[]>(words: Words) => v.picklist(words, words.join(' or '));
const keys = v.pipe(v.array(string, A_LIST), v.minLength(1, 'at least one segment key'));
const operator = v.nullish(oneOf(SEGMENT_OPERATORS), 'OR_SEGMENT_OPERATOR');

/**
 * The value of a constraint is a text or, in Flipt v2, a list. The file check-constraint.ts checks the members of a
 * list.
 */
const constraintValue = v.lazy((given): v.GenericSchema<string | readonly unknown[]> =>
  Array.isArray(given) ? v.array(v.unknown()) : string,
);

const constraint = mapping({
  type: oneOf(COMPARISON_TYPES),
  property: v.pipe(string, v.minLength(1, 'the name of an attribute')),
  operator: string,
  value: v.nullish(constraintValue, ''),
  description: text,
});

const segment = mapping({
  key,
  ...about,
  match_type: v.nullish(oneOf(MATCH_TYPES), 'ALL_MATCH_TYPE'),
  constraints: list(constraint),
});

const variant = mapping({
  key: v.pipe(string, v.minLength(1, 'a key')),
  ...about,
  default: flag,
  attachment: v.optional(v.unknown()),
});

const segments = v.pipe(
  v.union([string, mapping({ keys, operator })], 'the key of a segment, or keys and an operator'),
  v.transform((given) =>
    typeof given === 'string' ? segmentChoice([given]) : segmentChoice(given.keys, given.operator),
  ),
);

const RANK = 'a whole number from 0 to 2147483647';
const rank = v.pipe(number, v.integer(RANK), v.minValue(0, RANK), v.maxValue(2 ** 31 - 1, RANK));

const rule = v.pipe(
  mapping({
    segment: segments,
    rank: v.nullish(rank, 0),
    distributions: list(mapping({ variant: string, rollout: percent })),
  }),
  v.transform(({ segment, ...rest }) => ({ ...segment, ...rest })),
);

/** Returns whether exactly one of the two values is given. */
const isEither = (one: unknown, other: unknown) => (one == null) !== (other == null);

const segmentRollout = v.pipe(
  mapping({ key: v.nullish(string), keys: v.nullish(keys), operator, value: flag }),
  v.check((given) => isEither(given.key, given.keys), 'key keys'),
  v.transform(({ key, keys, operator, value }): Rollout => {
    const choice = segmentChoice(keys ?? (key == null ? [] : [key]), operator);
    return { kind: 'segment', ...choice, value };
  }),
);

const thresholdRollout = v.pipe(
  mapping({ percentage: v.pipe(percent, v.transform(rolloutPercentage)), value: flag }),
  v.transform((given): Rollout => ({ kind: 'threshold', ...given })),
);

const rollout = v.pipe(
  mapping({
    description: text,
    segment: v.nullish(segmentRollout),
    threshold: v.nullish(thresholdRollout),
  }),
  v.check((given) => isEither(given.segment, given.threshold), 'segment threshold'),
);

const rollouts = v.pipe(
  list(rollout),
  v.transform((all) => all.flatMap(({ segment, threshold }) => segment ?? threshold ?? [])),
);

const flagDocument = mapping({
  key,
  ...about,
  type: v.nullish(oneOf(['VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE']), 'VARIANT_FLAG_TYPE'),
  enabled: flag,
  metadata: v.nullish(v.record(string, v.unknown(), A_MAPPING)),
  variants: list(variant),
  rules: list(rule),
  rollouts,
});

const namespace = v.union(
  [key, mapping({ key, ...about })],
  'a namespace key, or a mapping with key, name and description',
);

/**
 * The shape of one document of a features file. The schema does not check references, such as from a rule to a segment;
 * check-references.ts does.
 */
export const documentSchema = mapping({
  version: v.nullish(v.union([string, number], '(string | number)')),
  namespace: v.nullish(namespace, 'default'),
  flags: list(flagDocument),
  segments: list(segment),
});

/** A document of the right shape, with every default filled in. */
export type CheckedDocument = v.InferOutput<typeof documentSchema>;
export type CheckedFlag = CheckedDocument['flags'][number];
export type CheckedSegment = CheckedDocument['segments'][number];

/**
 * Checks the shape of a document, and reports each mistake with its path. Returns the document with all defaults filled
 * in, or `undefined` if there are mistakes.
 */
export function checkDocument(value: unknown, report: Report): CheckedDocument | undefined {
  const wrong = wrongFile(value);
  if (wrong !== undefined) {
    report([], wrong);
    return undefined;
  }
  const result = v.safeParse(documentSchema, value);
  for (const issue of result.issues ?? []) {
    const path = issue.path?.map(({ key }) => (typeof key === 'number' ? key : String(key))) ?? [];
    report(path, wrongOf(issue));
  }
  return result.success ? result.output : undefined;
}

/**
 * Returns what is wrong with content that cannot be a features file of Flipt, or `undefined` if the content might be
 * one. The schema alone is not enough: the schema accepts a list, and does not say that a file is one of another
 * feature flag service.
 */
function wrongFile(value: unknown): Wrong | undefined {
  // The schema would accept a list, because it treats a list as an object without members.
  if (Array.isArray(value)) return { kind: 'wrong-type', expected: A_MAPPING, got: A_LIST };
  const service = otherFormat(value);
  return service === undefined ? undefined : { kind: 'other-service', service };
}

/**
 * Returns the name of another feature flag service if `value` is the content of a file of that service, and otherwise
 * `undefined`. The function recognises files of LaunchDarkly and flagd, which write flags as a mapping from keys to
 * flags. Flipt writes flags as a list.
 */
function otherFormat(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { flags, flagValues } = value;
  if (isRecord(flagValues) && (flags === undefined || isRecord(flags))) return 'LaunchDarkly';
  if (!isRecord(flags)) return undefined;
  const all = Object.values(flags).filter(isRecord);
  if (all.some((flag) => 'defaultVariant' in flag || 'state' in flag)) return 'flagd';
  return all.some((flag) => 'fallthrough' in flag || 'offVariation' in flag) ? 'LaunchDarkly' : undefined;
}

function wrongOf(issue: v.BaseIssue<unknown>): Wrong {
  const { type, message, received } = issue;
  if (issue.expected === 'never') return unknownMember(issue);
  // For a missing member, Valibot's `expected` is only the member's name, which the path already shows.
  if (received === 'undefined') return { kind: 'missing' };
  if (type === 'check') return { kind: 'either', names: message.split(' ') };
  if (type === 'min_length') return { kind: 'empty', expected: message, got: 'none' };
  // A file that is one text is no features file, and must not stand in a message of a public log.
  const isWhole = issue.path === undefined && typeof issue.input === 'string';
  const got = isWhole ? 'a text' : (KINDS[received] ?? beginningOf(unsteered(received)));
  if (issue.expected === 'string' && typeof issue.input !== 'object')
    return { kind: 'unquoted', expected: message, got };
  // In Valibot's issues, the kind `schema` means a wrong type, and the kind `validation` means a wrong content.
  return { kind: issue.kind === 'schema' ? 'wrong-type' : 'wrong-value', expected: message, got };
}

function unknownMember({ path, message }: v.BaseIssue<unknown>): Wrong {
  const name = String(path?.at(-1)?.key);
  const members = message.split(' ');
  // `closestName` does not find `threshold` for `percentage`, because it finds only names with similar letters.
  if (name === 'percentage' && members.includes('threshold')) {
    return { kind: 'bare-percentage', meant: 'threshold: { percentage, value }' };
  }
  return { kind: 'unknown-member', meant: closestName(name, members) };
}

const KINDS: Readonly<Record<string, string>> = { Object: A_MAPPING, Array: A_LIST };
