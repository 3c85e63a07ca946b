import { isDeepStrictEqual } from 'node:util';
import { evaluate } from '../engine/compile.js';
import { explain } from '../engine/explain.js';
import type { Explanation } from '../engine/explanation.js';
import type { KnownAnswer, Question, ServiceReason, ValueAnswer } from '../model/answer.js';
import type { Runtime } from '../model/runtime.js';
import { nextTurn, pausing, type Turns } from '../base/time/pausable-steps.js';
import { closestTo } from '../base/text/closest-name.js';
import { parsedJson } from '../base/text/json.js';
import type { Snapshot } from './snapshot.js';

/**
 * The functions that evaluate flags from the snapshot in force, or compare the service's answers with that snapshot.
 */
export interface SnapshotAnswers {
  /**
   * Returns the snapshot's answer, or `undefined` if there is no snapshot, or if the snapshot does not have the flag or
   * has it in a form that cannot be read.
   */
  readonly evaluate: (question: Question) => KnownAnswer | undefined;
  /**
   * Returns whether the snapshot gives the same answer as the service, whose answer is `answer`. The provider can
   * usually use an answer that the snapshot confirms until the flag changes.
   */
  readonly confirms: (question: Question, answer: KnownAnswer) => boolean;
  /**
   * Returns whether the value that the snapshot gives differs from the value in the service's answer. Different values
   * usually mean that the flag has changed between the time of the snapshot and the time of the answer.
   */
  readonly contradicts: (question: Question, answer: KnownAnswer) => boolean;
  /**
   * Explains why the snapshot gives its answer to a question (a flag and a context). Returns `undefined` before the
   * first snapshot.
   */
  readonly explain: (question: Question) => Explanation | undefined;
  /**
   * To be called when the app asks for a flag that does not exist. If the snapshot has a flag with a similar key,
   * `missing` usually reports that key later.
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
      // If the flag was created after the service answered that it does not exist, the snapshot can already have the
      // flag.
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
 * Returns the reason in the form in which reasons are compared. For a boolean flag that is off, Flipt up to 2.12 gives
 * the reason `DEFAULT`, but a later version may give the reason `FLAG_DISABLED`, and both must count as the same
 * reason.
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
 * The provider suggests a similar key for at most this many keys of flags that do not exist, because more warnings
 * would only fill the log.
 */
const MOST_SUGGESTIONS = 20;
const MOST_REMEMBERED = 1_000;
/** Comparing keys with this many characters in total takes between half a millisecond and a millisecond. */
const LENGTH_PER_MS = 10_000;

/**
 * Returns a function that takes the key of a flag that does not exist, and reports the existing key that the app
 * probably meant. For each misspelt key, the function reports at most once, and it reports at most 20 times in total.
 * If no existing key is similar, the function reports nothing, because the flag may belong to another provider. The
 * search for a similar key begins later and pauses often, so that the evaluation that asked for the flag does not wait
 * for the search.
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
