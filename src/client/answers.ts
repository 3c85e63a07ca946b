import * as v from 'valibot';
import type { EvaluationBatch, EvaluationResponse } from './operations/evaluation.js';
import type { Flag, FlagPage, FlagType } from './operations/flag-list.js';
import type { Distribution, Rule, RulePage, SegmentOperator, Variant } from './operations/flag-parts.js';
import type { Constraint, MatchType, Segment, SegmentPage } from './operations/segments.js';
import type { Authentication, CreatedToken } from './operations/tokens.js';
import { isRecord } from '../base/text/describe.js';

/*
 * These schemas check Flipt's answers. By the JSON mapping of proto3, Flipt can leave out a field that is not required.
 * If Flipt leaves out a field, the client usually fills in the default value of the field, such as `''` or 0.
 */

/** Accepts text that Flipt always sends. */
const text = v.string();
const textOrNone = v.nullish(v.string(), '');
/** Accepts text that Flipt can leave out. If Flipt leaves the text out, the result is `undefined`. */
const textIfAny = v.pipe(
  v.nullish(v.string()),
  v.transform((value) => value ?? undefined),
);
const numberOrNone = v.nullish(v.number(), 0);
const textsOrNone = v.nullish(v.array(v.string()), () => []);

/** Accepts a value of an enum, and returns text. If a value of an enum has no name, Flipt sends its number. */
const word = v.pipe(v.union([v.string(), v.number()], 'text'), v.transform(String));

/**
 * Accepts one of the given names of an enum, or any number. Flipt can store, and send, a number for which the enum has
 * no name.
 */
const oneOf = <Word extends string>(words: readonly Word[]) =>
  v.custom<Word | number>(
    (value) => typeof value === 'number' || words.some((word) => word === value),
    words.join(' or '),
  );

/** Flags, rules, segments and Flipt's other records all have these dates. */
const dates = { createdAt: text, updatedAt: text };

/** Each page of a list has these fields besides its entries. */
const pageFields = { nextPageToken: textOrNone, totalCount: numberOrNone };

/** This check does not use valibot's `record`, because `record` drops members with names such as `constructor`. */
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
 * Accepts the response to a batch of `requests` evaluations. A response with more or fewer answers than evaluations is
 * unreadable, because only the position of an answer says to which evaluation it belongs.
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

/** This check does not use valibot's `record`, because `record` drops members with names such as `constructor`. */
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
