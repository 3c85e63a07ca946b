import * as v from 'valibot';
import { COMPARISON_TYPES, MATCH_TYPES, SEGMENT_OPERATORS, type Rollout } from '../engine/features.js';
import { didYouMean } from '../text/closest-name.js';
import { isRecord, beginningOf, unsteered } from '../text/describe.js';
import type { DocumentPath, Report } from './features-error.js';
import { segmentChoice, rolloutPercentage } from './stored-values.js';

/** What the keys of namespaces, flags and segments consist of: Flipt's rule. */
export const KEY_SYNTAX = /^[-_,A-Za-z0-9]+$/;

/** The message of the schema is the list of member names, from which an unknown member gets its suggestion. */
const mapping = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.strictObject(entries, Object.keys(entries).join(' '));

const key = v.pipe(
  v.string(),
  v.regex(KEY_SYNTAX, 'expected letters, digits, "-", "_" and "," only, and at least one of them'),
);
const text = v.nullish(v.string(), '');
const about = { name: text, description: text };
const flag = v.nullish(v.boolean(), false);
const percent = v.pipe(
  v.number(),
  v.minValue(0, 'expected a percentage from 0 to 100'),
  v.maxValue(100, 'expected a percentage from 0 to 100'),
);
const list = <Item extends v.GenericSchema>(item: Item) => v.nullish(v.array(item), []);
const keys = v.pipe(v.array(v.string()), v.minLength(1, 'expected at least one segment key'));
const operator = v.nullish(v.picklist(SEGMENT_OPERATORS), 'OR_SEGMENT_OPERATOR');

/** Text, or with v2 a list. What the list must hold, check-constraint.ts knows. */
const constraintValue = v.lazy((given): v.GenericSchema<string | readonly unknown[]> =>
  Array.isArray(given) ? v.array(v.unknown()) : v.string(),
);

const constraint = mapping({
  type: v.picklist(COMPARISON_TYPES),
  property: v.pipe(v.string(), v.minLength(1, 'expected the name of an attribute')),
  operator: v.string(),
  value: v.nullish(constraintValue, ''),
  description: text,
});

const segment = mapping({
  key,
  ...about,
  match_type: v.nullish(v.picklist(MATCH_TYPES), 'ALL_MATCH_TYPE'),
  constraints: list(constraint),
});

const variant = mapping({
  key: v.pipe(v.string(), v.minLength(1, 'expected a key')),
  ...about,
  default: flag,
  attachment: v.optional(v.unknown()),
});

const segments = v.pipe(
  v.union(
    [v.string(), mapping({ keys, operator })],
    'expected the key of a segment, or keys and an operator',
  ),
  v.transform((given) => (typeof given === 'string' ? { keys: [given], operator: undefined } : given)),
);

const RANK = 'expected a whole number from 0 to 2147483647';
const rank = v.pipe(v.number(), v.integer(RANK), v.minValue(0, RANK), v.maxValue(2 ** 31 - 1, RANK));

const rule = v.pipe(
  mapping({
    segment: segments,
    rank: v.nullish(rank, 0),
    distributions: list(mapping({ variant: v.string(), rollout: percent })),
  }),
  v.transform(({ segment, ...rest }) => ({
    ...segmentChoice(segment.keys, segment.operator),
    ...rest,
  })),
);

const rollout = v.pipe(
  mapping({
    description: text,
    segment: v.nullish(
      v.pipe(
        mapping({ key: v.nullish(v.string()), keys: v.nullish(keys), operator, value: flag }),
        v.check(({ key, keys }) => (key == null) !== (keys == null), 'expected either key or keys'),
        v.transform(({ key, keys, operator, value }): Rollout => ({
          kind: 'segment',
          ...segmentChoice(keys ?? (key == null ? [] : [key]), operator),
          value,
        })),
      ),
    ),
    threshold: v.nullish(
      v.pipe(
        mapping({ percentage: percent, value: flag }),
        v.transform(({ percentage, value }): Rollout => ({
          kind: 'threshold',
          percentage: rolloutPercentage(percentage),
          value,
        })),
      ),
    ),
  }),
  v.check(
    ({ segment, threshold }) => (segment == null) !== (threshold == null),
    'expected either segment or threshold',
  ),
);

const rollouts = v.pipe(
  list(rollout),
  v.transform((all) => all.flatMap(({ segment, threshold }) => segment ?? threshold ?? [])),
);

const flagDocument = mapping({
  key,
  ...about,
  type: v.nullish(v.picklist(['VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE']), 'VARIANT_FLAG_TYPE'),
  enabled: flag,
  metadata: v.nullish(v.record(v.string(), v.unknown())),
  variants: list(variant),
  rules: list(rule),
  rollouts,
});

const namespace = v.union(
  [key, mapping({ key, ...about })],
  'expected a namespace key, or a mapping with key, name and description',
);

/** The shape of one document. How its parts refer to each other is checked elsewhere, in check-references.ts. */
export const documentSchema = mapping({
  version: v.nullish(v.union([v.string(), v.number()])),
  namespace: v.nullish(namespace, 'default'),
  flags: list(flagDocument),
  segments: list(segment),
});

/** A document with every default filled in. */
export type CheckedDocument = v.InferOutput<typeof documentSchema>;
export type CheckedFlag = CheckedDocument['flags'][number];
export type CheckedSegment = CheckedDocument['segments'][number];

/**
 * Checks the shape, and reports each mistake with its path in the document. Returns `undefined` if there are mistakes.
 */
export function checkDocument(value: unknown, report: Report): CheckedDocument | undefined {
  if (Array.isArray(value)) {
    // The schema would accept a list as an object without members.
    report([], 'expected a mapping, got a list');
    return undefined;
  }
  const other = otherFormat(value);
  if (other !== undefined) {
    report(
      [],
      `a file of ${other}, not of Flipt: flags are a list here (docs/migrating.md compares the two)`,
    );
    return undefined;
  }
  const result = v.safeParse(documentSchema, value);
  for (const issue of result.issues ?? []) {
    report(pathOf(issue), sentence(issue));
  }
  return result.success ? result.output : undefined;
}

/** The service that flags in a mapping, by their keys, were written for; `undefined` for anything else. */
function otherFormat(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const { flags, flagValues } = value;
  if (isRecord(flagValues) && (flags === undefined || isRecord(flags))) return 'LaunchDarkly';
  if (!isRecord(flags)) return undefined;
  const all = Object.values(flags).filter(isRecord);
  if (all.some((flag) => 'defaultVariant' in flag || 'state' in flag)) return 'flagd';
  return all.some((flag) => 'fallthrough' in flag || 'offVariation' in flag) ? 'LaunchDarkly' : undefined;
}

function pathOf({ path }: v.BaseIssue<unknown>): DocumentPath {
  return (path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
}

function sentence(issue: v.BaseIssue<unknown>): string {
  if (issue.expected === 'never') return unknownMember(issue);
  // For a missing member, Valibot expects the member's name, which the path shows already.
  if (issue.received === 'undefined') return 'missing';
  if (issue.type === 'check') return `expected ${wanted(issue)}`;
  const quote = issue.expected === 'string' && typeof issue.input !== 'object' ? ' (put it in quotes)' : '';
  return `expected ${wanted(issue)}, got ${given(issue)}${quote}`;
}

function unknownMember({ path, message }: v.BaseIssue<unknown>): string {
  const name = String(path?.at(-1)?.key);
  const known = message.split(' ');
  // Nobody would find this by its letters.
  if (name === 'percentage' && known.includes('threshold')) {
    return 'unknown member; did you mean threshold: { percentage, value }?';
  }
  return `unknown member${didYouMean(name, known)}`;
}

const KINDS: Readonly<Record<string, string>> = {
  Object: 'a mapping',
  Array: 'a list',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
};

function wanted({ message, expected, type }: v.BaseIssue<unknown>): string {
  const own = /^expected (.*)$/s.exec(message)?.[1];
  if (own !== undefined) return own;
  if (type === 'picklist')
    return [...message.matchAll(/"(\w+)" ?[|)]/g)].map(([, word]) => word).join(' or ');
  return (expected !== null && KINDS[expected]) || (expected ?? message);
}

function given({ type, received, input }: v.BaseIssue<unknown>): string {
  // For a list, Valibot reports its length.
  if (type === 'min_length') return 'none';
  if (typeof input === 'object') return KINDS[received] ?? received;
  return beginningOf(unsteered(received));
}
