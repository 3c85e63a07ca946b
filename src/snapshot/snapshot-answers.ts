import { isDeepStrictEqual } from 'node:util';
import { evaluate } from '../engine/compiled-features.js';
import { explain } from '../engine/explain/explain.js';
import type { Explanation } from '../engine/explain/explanation.js';
import type { KnownAnswer, Question, ServiceReason, ValueAnswer } from '../model/answer.js';
import type { Runtime } from '../model/runtime.js';
import { nextTurn, pausing, type Turns } from '../base/time/pausable-steps.js';
import { closestTo } from '../base/text/closest-name.js';
import { parsedJson } from '../base/text/json.js';
import type { Snapshot } from './snapshot.js';

/** The functions that answer questions from the snapshot in force, or compare answers with it. */
export interface SnapshotAnswers {
  /** Returns the snapshot's answer, or `undefined` if the flag is not in the snapshot. */
  readonly evaluate: (question: Question) => KnownAnswer | undefined;
  /**
   * Returns whether the snapshot gives the same answer to the question as the service. An answer that the snapshot
   * confirms holds until the flag changes.
   */
  readonly confirms: (question: Question, answer: KnownAnswer) => boolean;
  /**
   * Returns whether the snapshot gives another value than the service's answer. If the values differ, the flag has
   * changed, either after the service gave this answer or after the service sent the snapshot.
   */
  readonly contradicts: (question: Question, answer: KnownAnswer) => boolean;
  /** Explains why the snapshot gives its answer to a question. Returns `undefined` before the first snapshot. */
  readonly explain: (question: Question) => Explanation | undefined;
  /**
   * To be called when a question names a flag that does not exist. If the snapshot has a flag with a similar key, that
   * key is reported later.
   */
  readonly missing: (flag: string) => void;
}

export function snapshotAnswers(
  snapshot: () => Snapshot | undefined,
  { clock, report }: Runtime,
): SnapshotAnswers {
  const missing = misspeltKeys(() => snapshot()?.flags.keys().keys() ?? [], report, clock);
  /** Returns the snapshot's answer, or `undefined` before the first snapshot and for a flag that cannot be read. */
  const expected = (question: Question): KnownAnswer | undefined => {
    const inForce = snapshot();
    if (inForce === undefined || inForce.flags.unreadable(question.flag) !== undefined) return undefined;
    return evaluate(inForce.compiled, question);
  };
  return {
    evaluate(question) {
      const compiled = snapshot()?.compiled;
      return compiled?.flag(question.flag) && evaluate(compiled, question);
    },
    confirms: (question, answer) => {
      const own = expected(question);
      return own !== undefined && isSameAnswer(answer, own);
    },
    contradicts: (question, answer) => {
      const own = expected(question);
      return own !== undefined && !isSameValue(answer, own);
    },
    explain(question) {
      const inForce = snapshot();
      return inForce && explain(inForce.compiled, question);
    },
    missing: (flag) => {
      // The flag may have been created after the service answered that the flag does not exist.
      if (snapshot()?.flags.keys().has(flag) === false) missing(flag);
    },
  };
}

/** Returns whether the service's answer equals the snapshot's answer to the same question. */
export function isSameAnswer(given: KnownAnswer, expected: KnownAnswer): boolean {
  if (!isSameValue(given, expected)) return false;
  if (given.kind === 'missing' || expected.kind === 'missing') return true;
  // The segment keys are sorted before they are compared, because the service lists matching segments in no fixed
  // order.
  const [keys, others] = [given, expected].map(({ segmentKeys = [] }) => segmentKeys.toSorted());
  return reasonOf(given) === reasonOf(expected) && isDeepStrictEqual(keys, others);
}

/**
 * Returns the reason in the form in which reasons are compared. A boolean flag that is off gives its own value. Flipt
 * up to 2.12 calls the reason for that value `DEFAULT`, but a later version may call this reason `FLAG_DISABLED`.
 */
function reasonOf({ kind, reason }: ValueAnswer): ServiceReason {
  return kind === 'boolean' && reason === 'FLAG_DISABLED' ? 'DEFAULT' : reason;
}

/** Returns whether both answers have the same value, whatever their reasons are. */
function isSameValue(given: KnownAnswer, expected: KnownAnswer): boolean {
  if (given.kind === 'boolean' && expected.kind === 'boolean') return given.enabled === expected.enabled;
  if (given.kind !== 'variant' || expected.kind !== 'variant') return given.kind === expected.kind;
  return (
    given.match === expected.match &&
    given.variant === expected.variant &&
    isSameJson(given.attachment, expected.attachment)
  );
}

/**
 * Returns whether two texts contain the same JSON value. The parsed values are compared, because the same attachment
 * can be written with other spaces and escapes.
 */
function isSameJson(text: string, other: string): boolean {
  if (text === other) return true;
  const value = parsedJson(text);
  return value !== undefined && isDeepStrictEqual(value, parsedJson(other));
}

/**
 * The provider suggests a similar key for at most this many missing keys, because more warnings would only fill the
 * log.
 */
const MOST_SUGGESTIONS = 20;
const MOST_REMEMBERED = 1_000;
/** Comparing keys with this many characters in total takes between half a millisecond and a millisecond. */
const LENGTH_PER_MS = 10_000;

/**
 * Returns a function that reports the existing key that was probably meant by a missing key. The function reports at
 * most once for each missing key, and at most 20 times in total. A missing key without a similar flag is normal,
 * because its flag may belong to another provider. The search for a similar key takes several turns of the event loop,
 * and begins after the turn in which the question was asked.
 */
export function misspeltKeys(known: () => Iterable<string>, report: Runtime['report'], clock: Turns) {
  const seen = new Set<string>();
  let suggestions = 0;
  let looking: Promise<void> = Promise.resolve();

  const lookFor = async (key: string) => {
    await nextTurn(clock);
    if (suggestions >= MOST_SUGGESTIONS) return;
    const pause = pausing(LENGTH_PER_MS, clock);
    const search = closestTo(key);
    for (const name of known()) {
      search.compare(name);
      const turn = pause(name.length + 1);
      if (turn !== undefined) await turn;
    }
    const like = search.found();
    if (like === undefined) return;
    suggestions++;
    report({ type: 'flag-key-suspect', flag: key, like });
  };

  return (key: string): void => {
    if (suggestions >= MOST_SUGGESTIONS || seen.size >= MOST_REMEMBERED || seen.has(key)) return;
    seen.add(key);
    looking = looking.then(() => lookFor(key));
  };
}
