import * as v from 'valibot';
import * as Evaluated from '../../engine/features.js';
import { isOperator } from '../../engine/constraint-match.js';
import { ALL_SEMANTICS } from '../../engine/version-differences.js';

/*
 * These schemas describe a snapshot in the form in which Flipt writes it, but only the members that this package reads.
 * In proto3's JSON mapping, a member that has its default value can be missing. The schemas ignore unknown members.
 * Each error message in this file names only the value that was expected.
 */

const text = v.nullish(v.string('text'), '');
const bool = v.nullish(v.boolean('true or false'), false);
const percent = v.nullish(v.pipe(v.number('a number'), v.finite('a number')), 0);
const key = v.pipe(v.string('a key'), v.nonEmpty('a key'));
/**
 * This schema does not check the items of the list, because a list can be long. The code that uses the schema checks
 * the items of the list one by one.
 */
const list = v.nullish(
  v.custom<readonly unknown[]>((part) => Array.isArray(part), 'a list'),
  [],
);
/**
 * Makes a schema that refuses a list where an object is expected. Without this schema, the library valibot would accept
 * a list as an object without members, and would give each member its default.
 */
const noList = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    v.custom<v.InferInput<Schema>>((part) => !Array.isArray(part), 'an object'),
    schema,
  );
const members = <E extends v.ObjectEntries>(entries: E) => v.object(entries, 'an object');
const record = <E extends v.ObjectEntries>(entries: E) => noList(members(entries));

/**
 * Makes the schema of an enum of the snapshot. The schema translates the names and numbers of Flipt's enum to the words
 * of the evaluation engine. `words` lists the words of the evaluation engine in the order of the enum's numbers.
 */
const word = <Word extends string>(words: readonly Word[], wireWord: (word: Word) => string | number) => {
  const wireWords = words.map((known) => String(wireWord(known)));
  const expected = `a number, ${wireWords.join(' or ')}`;
  return v.pipe(
    v.nullish(v.union([v.number(), v.picklist(wireWords)], expected), 0),
    v.transform((given) => {
      const number = typeof given === 'number' ? given : wireWords.indexOf(given);
      return words[number] ?? number;
    }),
  );
};
const matchType = word(Evaluated.MATCH_TYPES, Evaluated.wireMatchType);
const segmentOperator = word(Evaluated.SEGMENT_OPERATORS, (operator) => operator);

/** The comparison type is required, because the default of its enum is a type that Flipt does not evaluate. */
const comparisonType = v.pipe(
  v.picklist(Evaluated.COMPARISON_TYPES.map(Evaluated.wireComparisonType), 'a comparison type'),
  v.transform((type) => type.replace('CONSTRAINT_COMPARISON', 'COMPARISON') as Evaluated.ComparisonType),
);

/**
 * The schema accepts a missing operator, and an operator of another comparison type, with which the constraint never
 * matches. The schema refuses an operator that belongs to no comparison type, because a newer Flipt could mean anything
 * by it.
 */
const operator = v.pipe(
  text,
  v.check((word) => word === '' || isOperator(word), 'an operator'),
);

export const constraintSchema = record({ type: comparisonType, property: text, operator, value: text });
export const segmentSchema = record({ key, matchType, constraints: list });
export const distributionSchema = record({ variantKey: text, variantAttachment: text, rollout: percent });
export const ruleSchema = record({ id: text, segmentOperator, segments: list, distributions: list });

const thresholdRollout = members({
  type: v.literal('THRESHOLD_ROLLOUT_TYPE'),
  threshold: record({ percentage: percent, value: bool }),
});

const segmentRollout = members({
  type: v.literal('SEGMENT_ROLLOUT_TYPE'),
  segment: record({ value: bool, segmentOperator, segments: list }),
});

const rollout = v.variant('type', [thresholdRollout, segmentRollout], 'a rollout of a known type');
export const rolloutSchema = noList(rollout);

const variantFlag = members({
  type: v.optional(v.literal('VARIANT_FLAG_TYPE'), 'VARIANT_FLAG_TYPE'),
  key,
  enabled: bool,
  rules: list,
  defaultVariant: v.nullish(record({ key, attachment: text })),
});

const booleanFlag = members({
  type: v.literal('BOOLEAN_FLAG_TYPE'),
  key,
  enabled: bool,
  rollouts: list,
});

/**
 * A flag that has no key makes the whole body unusable, because the provider could not even ask the service about that
 * flag.
 */
export const keyedSchema = record({ key });

export const flagSchema = noList(v.variant('type', [variantFlag, booleanFlag], 'a flag of a known type'));

/**
 * The schema of a snapshot's body in which an empty list has taken the place of the flags. Only Flipt v2 sends a
 * `digest`. Only a body that this package has written contains `semantics`.
 */
export const restSchema = record({
  namespace: v.nullish(record({ key: text })),
  flags: v.pipe(v.array(v.unknown(), 'a list'), v.empty('one list "flags"')),
  digest: text,
  semantics: v.fallback(v.optional(v.picklist(ALL_SEMANTICS)), undefined),
});

export type WireVariantFlag = v.InferOutput<typeof variantFlag>;
