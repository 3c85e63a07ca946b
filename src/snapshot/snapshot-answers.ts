import { evaluate } from '../engine/evaluate.js';
import type { KnownAnswer, Question } from '../model/answer.js';
import type { Runtime } from '../runtime.js';
import { misspeltKeys } from './misspelt-flag-keys.js';
import { isSameAnswer, isSameValue } from './answer-equality.js';
import type { Snapshot } from './snapshot.js';

/** What the snapshot in force says about a question. */
export function snapshotAnswers(snapshot: () => Snapshot | undefined, { clock, report }: Runtime) {
  const { missing } = misspeltKeys(
    () => snapshot()?.keys().keys() ?? [],
    (flag, like) => {
      report({ type: 'flag-key-suspect', flag, like });
    },
    clock,
  );
  return {
    /** Its answer; `undefined` for a flag that is not in it. */
    evaluate(question: Question) {
      const compiled = snapshot()?.compiled;
      return compiled?.flag(question.flag) && evaluate(compiled, question);
    },
    /** Whether it gives the same answer. Such an answer holds until the flag changes. */
    confirms: (question: Question, answer: KnownAnswer) => {
      const inForce = snapshot();
      if (inForce === undefined || inForce.unreadable(question.flag) !== undefined) return false;
      return isSameAnswer(answer, evaluate(inForce.compiled, question));
    },
    /** Whether it gives another value: the flag has changed since the answer, or before the snapshot. */
    contradicts: (question: Question, answer: KnownAnswer) => {
      const inForce = snapshot();
      if (inForce === undefined || inForce.unreadable(question.flag) !== undefined) return false;
      return !isSameValue(answer, evaluate(inForce.compiled, question));
    },
    /** Why a question has its answer; `undefined` before the first snapshot. */
    async explain(question: Question) {
      // Loaded on first use: most apps never ask for an explanation.
      const { explain } = await import('../engine/explain/explain.js');
      const inForce = snapshot();
      inForce?.read(question.flag);
      return inForce && explain(inForce.compiled, question);
    },
    /** A flag that does not exist was asked for. Reports the key that was probably meant, later. */
    missing: (flag: string) => {
      // It may have been created since.
      if (snapshot()?.keys().has(flag) === false) missing(flag);
    },
  };
}
