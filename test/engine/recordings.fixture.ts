import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Features } from '../../src/engine/features.js';
import { isV2 } from '../../src/engine/version-differences.js';
import { readFeatures } from '../../src/features/read-features.js';
import type { KnownAnswer, Question } from '../../src/model/answer.js';

/** A recorded question and answer, in the service's own form. */
export interface RecordedCase {
  readonly request: {
    readonly namespaceKey: string;
    readonly flagKey: string;
    readonly entityId: string;
    readonly context: Readonly<Record<string, string>>;
  };
  readonly response: Readonly<Record<string, unknown>>;
}

const FOLDER = new URL('../recordings/evaluation/', import.meta.url);

export const RECORDINGS = [
  { name: 'alpha', semantics: 'v1' },
  { name: 'bravo', semantics: 'v1' },
  { name: 'alpha', semantics: 'v2.8' },
  { name: 'alpha', semantics: 'v2' },
  { name: 'bravo', semantics: 'v2' },
] as const;

export type Recording = (typeof RECORDINGS)[number];

/** Both recorded releases of v2 held the same features, so that they share a file. */
export function featuresOf({ name, semantics }: Recording): URL {
  return new URL(`${name}.${isV2(semantics) ? 'v2' : 'v1'}.features.yml`, FOLDER);
}

export async function namespacesOf(recording: Recording): Promise<ReadonlyMap<string, Features>> {
  return (await readFeatures(featuresOf(recording), recording.semantics)).namespaces;
}

export function casesOf({ name, semantics }: Recording): readonly RecordedCase[] {
  const lines = readFileSync(new URL(`${name}.${semantics}.jsonl`, FOLDER), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as RecordedCase);
}

export function questionOf({ request }: RecordedCase): Question {
  const { namespaceKey: namespace, flagKey: flag, entityId: entity, context: attributes } = request;
  return { namespace, flag, entity, attributes };
}

/** Returns the engine's answer in the recorded form. */
export function recordedForm({ request }: RecordedCase, answer: KnownAnswer): Record<string, unknown> {
  const { flagKey, namespaceKey } = request;
  switch (answer.kind) {
    case 'missing':
      return {
        type: 'ERROR_EVALUATION_RESPONSE_TYPE',
        flagKey,
        namespaceKey,
        reason: 'NOT_FOUND_ERROR_EVALUATION_REASON',
      };
    case 'boolean':
      return {
        type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
        flagKey,
        enabled: answer.enabled,
        reason: `${answer.reason}_EVALUATION_REASON`,
        segmentKeys: answer.segmentKeys,
      };
    case 'variant':
      return {
        type: 'VARIANT_EVALUATION_RESPONSE_TYPE',
        flagKey,
        match: answer.match,
        variantKey: answer.variant,
        variantAttachment: answer.attachment,
        reason: `${answer.reason}_EVALUATION_REASON`,
        segmentKeys: answer.segmentKeys,
      };
  }
}

/** Whether the service gave the same answer, apart from differences without meaning. */
export function isAsRecorded(recorded: RecordedCase, answer: KnownAnswer): boolean {
  return isDeepStrictEqual(comparable(recordedForm(recorded, answer)), comparable(recorded.response));
}

/** Removes differences without meaning: the order of segment keys, and how an attachment's JSON is written. */
export function comparable(response: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { segmentKeys, variantAttachment: attachment, ...rest } = response;
  return {
    ...rest,
    ...(Array.isArray(segmentKeys) && { segmentKeys: segmentKeys.map(String).sort() }),
    ...(typeof attachment === 'string' && {
      variantAttachment: attachment === '' ? '' : (JSON.parse(attachment) as unknown),
    }),
  };
}
