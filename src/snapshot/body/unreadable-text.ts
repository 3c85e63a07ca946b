import type { Steps } from '../../time/pausable-steps.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import { digest } from '../flag-content.js';

/**
 * Members that Flipt writes and that evaluation does not read, by their place in the flag. v2 makes new ids and times
 * for each body. A member of any other name or place may mean something.
 */
const WITHOUT_EFFECT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['', new Set(['name', 'description', 'createdAt', 'updatedAt'])],
  ['.defaultVariant', new Set(['id'])],
  ['.rules', new Set(['id'])],
  ['.rules.distributions', new Set(['id', 'ruleId', 'variantId'])],
  ...['.rules', '.rollouts.segment'].flatMap((place): [string, ReadonlySet<string>][] => [
    [`${place}.segments`, new Set(['name', 'description', 'createdAt', 'updatedAt'])],
    [`${place}.segments.constraints`, new Set(['id'])],
  ]),
]);
/** v1 lists segments in another order in each body; the order of constraints never matters. */
const WITHOUT_ORDER = /^(?:\.rules|\.rollouts\.segment)\.segments(?:\.constraints)?$/;
/** A longer part is replaced by its digest. */
const LONGEST_PART = 4_096;

/** A flag that cannot be read, for a later version of this package that may read it. `text` is valid JSON. */
export function unreadableFlag(text: string, reason: string): UnreadableFlag {
  // Strings hold no line breaks. A store keeps a snapshot in one line.
  return { reason, text: text.replace(/[\r\n]/g, ' ') };
}

/** A digest of what may matter, in steps: equal for two flags between which nothing else has changed. */
export function* unreadableContent(json: unknown): Steps<string> {
  return digest(`unreadable ${yield* canonical(json, '')}`);
}

function* canonical(value: unknown, place: string): Steps<string> {
  yield;
  if (typeof value !== 'object' || value === null) return short(JSON.stringify(value));
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* canonical(item, place));
    if (WITHOUT_ORDER.test(place)) parts.sort();
    return short(`[${parts.join()}]`);
  }
  const ignored = WITHOUT_EFFECT.get(place);
  for (const [name, member] of Object.entries(value)) {
    if (ignored?.has(name)) continue;
    parts.push(`${JSON.stringify(name)}:${yield* canonical(member, `${place}.${name}`)}`);
  }
  return short(`{${parts.sort().join()}}`);
}

function short(part: string): string {
  return part.length > LONGEST_PART ? digest(part) : part;
}
