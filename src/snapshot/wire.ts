import * as v from 'valibot';
import { kindOf, quoted } from '../base/text/describe.js';
import { isHeaderText } from '../base/text/header.js';
import { parsedJson } from '../base/text/json.js';
import { isOperator } from '../engine/constraint-match.js';
import * as Evaluated from '../engine/features.js';
import { ALL_SEMANTICS } from '../engine/version-differences.js';

// 10,000 flags of Flipt v1 take about 36 MB.
export const MOST_SNAPSHOT_BYTES = 64 * 1024 * 1024;
/** For one flag, and for all that is beside the flags. */
export const MOST_TEXT_BYTES = 1024 * 1024;

/** The message names a place and a kind, and never a value: segments may contain personal data. */
export class InvalidBody extends Error {
  override readonly name = 'InvalidBody';
}

export function parsedText(bytes: Buffer, place: string): unknown {
  if (bytes.length > MOST_TEXT_BYTES) throw new InvalidBody(`${place}: more than ${MOST_TEXT_BYTES} bytes`);
  const value = parsedJson(bytes.toString());
  if (value === undefined) throw new InvalidBody(`${place}: not JSON`);
  return value;
}

export function checked<S extends v.GenericSchema>(
  part: unknown,
  schema: S,
  place: string,
): v.InferOutput<S> {
  const result = v.safeParse(schema, part, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = issue.path ?? [];
  const where = (place + path.map(({ key }) => step(key)).join('')).replace(/^\./, '') || 'the body';
  if (issue.input === undefined) throw new InvalidBody(`${where}: missing`);
  const isOperatorWord = path.at(-1)?.key === 'operator';
  throw new InvalidBody(`${where}: expected ${issue.message}, got ${shown(issue.input, isOperatorWord)}`);
}

function step(key: unknown): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
}

/** Only a word of a protocol is shown. */
function shown(input: unknown, isOperatorWord: boolean): string {
  const word = isOperatorWord ? /^[A-Za-z_]{1,30}$/ : /^[A-Z_]{1,60}$/;
  return typeof input === 'string' && word.test(input) ? quoted(input) : kindOf(input);
}

// As everywhere in proto3 JSON, members that have their default value may be missing.
const text = v.nullish(v.string('text'), '');
const bool = v.nullish(v.boolean('true or false'), false);
const percent = v.nullish(v.pipe(v.number('a number'), v.finite('a number')), 0);
const key = v.pipe(v.string('a key'), v.nonEmpty('a key'));
// valibot would check each member of a list before the first one is used.
const list = v.nullish(
  v.custom<readonly unknown[]>((part) => Array.isArray(part), 'a list'),
  [],
);
const noList = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    v.custom<v.InferInput<Schema>>((part) => !Array.isArray(part), 'an object'),
    schema,
  );
const members = <E extends v.ObjectEntries>(entries: E) => v.object(entries, 'an object');
const record = <E extends v.ObjectEntries>(entries: E) => noList(members(entries));

/** An enum, by its name or its number. A number without a name stays: Flipt evaluates it. */
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
const comparisonType = v.pipe(
  v.picklist(Evaluated.COMPARISON_TYPES.map(Evaluated.wireComparisonType), 'a comparison type'),
  v.transform((type) => type.replace('CONSTRAINT_COMPARISON', 'COMPARISON') as Evaluated.ComparisonType),
);
// Flipt lets an operator that the type does not have match nobody. An operator that no type has may be of a newer Flipt.
const operator = v.pipe(
  text,
  v.check((given) => given === '' || isOperator(given), 'an operator'),
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
export const rolloutSchema = noList(
  v.variant('type', [thresholdRollout, segmentRollout], 'a rollout of a known type'),
);

const variantFlag = members({
  type: v.optional(v.literal('VARIANT_FLAG_TYPE'), 'VARIANT_FLAG_TYPE'),
  key,
  enabled: bool,
  rules: list,
  defaultVariant: v.nullish(record({ key, attachment: text })),
});
const booleanFlag = members({ type: v.literal('BOOLEAN_FLAG_TYPE'), key, enabled: bool, rollouts: list });
export const flagSchema = noList(v.variant('type', [variantFlag, booleanFlag], 'a flag of a known type'));
export type WireVariantFlag = v.InferOutput<typeof variantFlag>;

export const keyedSchema = record({ key });

/** What is beside the flags: `semantics` and the members after it are ours. */
export const restSchema = record({
  namespace: v.nullish(record({ key: text })),
  flags: v.pipe(v.array(v.unknown(), 'a list'), v.empty('one list "flags"')),
  digest: text,
  semantics: v.fallback(v.optional(v.picklist(ALL_SEMANTICS)), undefined),
  url: v.fallback(v.optional(v.string()), undefined),
  environment: v.fallback(v.optional(v.string()), undefined),
  etag: v.fallback(v.optional(v.string()), undefined),
  confirmedAt: v.fallback(
    v.optional(
      v.pipe(
        v.string(),
        v.check((text) => !Number.isNaN(Date.parse(text))),
      ),
    ),
    undefined,
  ),
});

/** A longer one could make a request's headers larger than servers accept. Flipt's have 40 characters. */
const LONGEST_ETAG = 1_000;

/** With an ETag that cannot be sent back, each later poll would fail. */
export function sendableEtag(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ETAG && isHeaderText(value)
    ? value
    : undefined;
}
