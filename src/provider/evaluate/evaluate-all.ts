import { GeneralError, type EvaluationContext } from '@openfeature/server-sdk';
import type { Clock } from '../../time/clock.js';
import { pausing } from '../../time/pausable-steps.js';
import type { Resolution } from '../../model/answer.js';
import { reasonOf, reasonWithoutVariant } from '../mapping/details.js';
import { attachmentOf } from '../../values/value-of-type.js';
import { resolveMany, type FlagsSource } from './resolve-many.js';

/** A flag as `evaluateAll` returns it: plain JSON values, for a page or a browser. */
export interface EvaluatedFlag {
  /** The kind of flag. */
  readonly type: 'boolean' | 'variant';
  /** Of a boolean flag, whether it is on. Of a variant flag, the variant's key; `null` if no variant applies. */
  readonly value: boolean | string | null;
  /** The variant's key; of a boolean flag `'true'` or `'false'`; `null` if no variant applies. */
  readonly variant: string | null;
  /** The variant's attachment, parsed. Absent if there is none, or it is not JSON. */
  readonly attachment?: unknown;
  /** OpenFeature's reason. */
  readonly reason: string;
}

/** Flags whose attachments are parsed in a millisecond, or in a few if they are large. */
const FLAGS_PER_MS = 250;
/** So many characters of an attachment cost as much as a flag. */
const CHARACTERS_OF_FLAG = 1_000;

/** Rejects with an error of OpenFeature's if nothing can be evaluated. */
export async function evaluateAll(
  source: FlagsSource,
  context: EvaluationContext,
  flagKeys: readonly string[] | undefined,
  clock: Clock,
): Promise<Readonly<Record<string, EvaluatedFlag>>> {
  if (flagKeys === undefined) await source.untilSnapshot();
  const resolved = await resolveMany(source, context, flagKeys, clock);
  if (resolved === undefined) throw new GeneralError(NO_SNAPSHOT);
  // Without a prototype, because Flipt v1 allows a flag to be called __proto__.
  const flags = Object.create(null) as Record<string, EvaluatedFlag>;
  const pause = pausing(FLAGS_PER_MS, clock);
  for (const [flagKey, resolution] of resolved) {
    const flag = evaluatedFlag(resolution);
    if (flag !== undefined) flags[flagKey] = flag;
    const { answer } = resolution;
    await pause(answer.kind === 'variant' ? 1 + answer.attachment.length / CHARACTERS_OF_FLAG : 1);
  }
  return flags;
}

const NO_SNAPSHOT = 'evaluateAll: there is no snapshot yet to take the flag keys from: pass flagKeys';

function evaluatedFlag(resolution: Resolution): EvaluatedFlag | undefined {
  const { answer } = resolution;
  if (answer.kind !== 'boolean' && answer.kind !== 'variant') return undefined;
  const reason = reasonOf(answer, resolution);
  if (answer.kind === 'boolean') {
    return { type: 'boolean', value: answer.enabled, variant: String(answer.enabled), reason };
  }
  const none = reasonWithoutVariant(answer);
  if (none !== undefined) return { type: 'variant', value: null, variant: null, reason: none };
  const { variant } = answer;
  const attachment = attachmentOf(answer) ?? undefined;
  const attached = attachment !== undefined && { attachment };
  return { type: 'variant', value: variant, variant, ...attached, reason };
}
