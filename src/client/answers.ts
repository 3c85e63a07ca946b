import * as v from 'valibot';
import type { EvaluationBatch, EvaluationResponse } from './operations/evaluation.js';
import type { Flag, FlagPage, FlagType } from './operations/flag-list.js';
import type { Distribution, Rule, RulePage, SegmentOperator, Variant } from './operations/flag-parts.js';
import type { Constraint, MatchType, Segment, SegmentPage } from './operations/segments.js';
import type { Authentication, CreatedToken } from './operations/tokens.js';
import { isRecord } from '../base/text/describe.js';

/*
 * The shapes of Flipt's answers. By the JSON mapping of proto3, Flipt can leave out a field that is not required. A
 * field that is left out has its default value.
 */

/** Text that Flipt always sends. */
const text = v.string();
const textOrNone = v.nullish(v.string(), '');
/** Text that Flipt can leave out. The result is `undefined` if Flipt leaves the text out. */
const textIfAny = v.pipe(
  v.nullish(v.string()),
  v.transform((value) => value ?? undefined),
);
const numberOrNone = v.nullish(v.number(), 0);
const textsOrNone = v.nullish(v.array(v.string()), () => []);

/** A value of an enum. If the value has no name, Flipt sends its number, which is kept as text. */
const word = v.pipe(v.union([v.string(), v.number()], 'text'), v.transform(String));

/**
 * Accepts one of the names of an enum, or a number, because Flipt stores a number that has no name and sends it back.
 */
const oneOf = <Word extends string>(words: readonly Word[]) =>
  v.custom<Word | number>(
    (value) => typeof value === 'number' || words.some((word) => word === value),
    words.join(' or '),
  );

/** The dates of every record. */
const dates = { createdAt: text, updatedAt: text };

/** The fields of a page besides its entries. */
const pageFields = { nextPageToken: textOrNone, totalCount: numberOrNone };

/** This check is our own, because valibot's `record` drops members with names such as `constructor`. */
const texts = v.custom<Readonly<Record<string, string>>>(
  (value) => isRecord(value) && Object.values(value).every((member) => typeof member === 'string'),
  'an object of texts',
);

const common = {
  requestId: textOrNone,
  flagKey: textOrNone,
  reason: word,
  segmentKeys: textsOrNone,
  timestamp: textIfAny,
  requestDurationMillis: numberOrNone,
};
const variantResponse = v.object({
  ...common,
  match: v.nullish(v.boolean(), false),
  variantKey: textOrNone,
  variantAttachment: textOrNone,
});
const booleanResponse = v.object({ ...common, enabled: v.boolean() });
const errorResponse = v.object({ flagKey: textOrNone, namespaceKey: textOrNone, reason: word });

const response: v.GenericSchema<unknown, EvaluationResponse> = v.variant('type', [
  v.object({ type: v.literal('VARIANT_EVALUATION_RESPONSE_TYPE'), variantResponse }),
  v.object({ type: v.literal('BOOLEAN_EVALUATION_RESPONSE_TYPE'), booleanResponse }),
  v.object({ type: v.literal('ERROR_EVALUATION_RESPONSE_TYPE'), errorResponse }),
]);

/**
 * The answers of a batch belong to its requests by their positions, so a response with more or fewer answers than
 * requests is unreadable.
 */
export const batchOf = (requests: number): v.GenericSchema<unknown, EvaluationBatch> =>
  v.object({
    requestId: textOrNone,
    responses: v.pipe(v.array(response), v.length(requests, `a list of ${requests}`)),
    requestDurationMillis: numberOrNone,
  });

const distribution: v.GenericSchema<unknown, Distribution> = v.object({
  id: text,
  ruleId: textOrNone,
  variantId: text,
  rollout: numberOrNone,
  ...dates,
});
export const rule: v.GenericSchema<unknown, Rule> = v.object({
  ...v.entriesFromList(['id', 'namespaceKey', 'flagKey', 'segmentKey'], text),
  segmentKeys: textsOrNone,
  segmentOperator: oneOf<SegmentOperator>(['OR_SEGMENT_OPERATOR', 'AND_SEGMENT_OPERATOR']),
  distributions: v.array(distribution),
  rank: v.number(),
  ...dates,
});
export const rulePage: v.GenericSchema<unknown, RulePage> = v.object({ rules: v.array(rule), ...pageFields });

const constraint: v.GenericSchema<unknown, Constraint> = v.object({
  id: text,
  ...v.entriesFromList(['namespaceKey', 'segmentKey'], textOrNone),
  type: v.nullish(word, 'UNKNOWN_COMPARISON_TYPE'),
  ...v.entriesFromList(['property', 'operator', 'value', 'description'], textOrNone),
  ...dates,
});
export const segment: v.GenericSchema<unknown, Segment> = v.object({
  ...v.entriesFromList(['namespaceKey', 'key', 'name', 'description'], text),
  ...dates,
  constraints: v.array(constraint),
  matchType: oneOf<MatchType>(['ALL_MATCH_TYPE', 'ANY_MATCH_TYPE']),
});
export const segmentPage: v.GenericSchema<unknown, SegmentPage> = v.object({
  segments: v.array(segment),
  ...pageFields,
});

export const authentication: v.GenericSchema<unknown, Authentication> = v.object({
  id: text,
  method: word,
  ...dates,
  expiresAt: textIfAny,
  metadata: texts,
});
export const createdToken: v.GenericSchema<unknown, CreatedToken> = v.object({
  clientToken: text,
  authentication,
});

export const variant: v.GenericSchema<unknown, Variant> = v.object({
  ...v.entriesFromList(['id', 'namespaceKey', 'flagKey', 'key', 'name', 'description', 'attachment'], text),
  ...dates,
});

/** This check is our own, because valibot's `record` drops members with names such as `constructor`. */
const anyObject = v.custom<Readonly<Record<string, unknown>>>(isRecord, 'an object');

const flag: v.GenericSchema<unknown, Flag> = v.object({
  ...v.entriesFromList(['namespaceKey', 'key', 'name', 'description'], text),
  enabled: v.boolean(),
  type: oneOf<FlagType>(['VARIANT_FLAG_TYPE', 'BOOLEAN_FLAG_TYPE']),
  variants: v.array(variant),
  defaultVariant: v.pipe(
    v.nullish(variant),
    v.transform((given) => given ?? undefined),
  ),
  metadata: v.nullish(anyObject, () => ({})),
  ...dates,
});
export const flagPage: v.GenericSchema<unknown, FlagPage> = v.object({ flags: v.array(flag), ...pageFields });
