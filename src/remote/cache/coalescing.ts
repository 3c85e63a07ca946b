import { failed, type Answer, type Ask, type Question } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';

/** A question (a flag and a context) that was asked and has no answer yet. */
export interface Flight {
  readonly flag: string;
  readonly answer: Promise<Answer>;
  /**
   * `until` is the time at which the last caller stops waiting, or at which a refresh in the background ends, in
   * milliseconds of `clock.now()`.
   */
  readonly callers: { until: number };
}

/**
 * Receives the answer to a question, and decides whether to store it. `isExtended` is `true` if a browser has added
 * attributes to the context.
 */
export type Keep = (key: string, question: Question, answer: Answer, isExtended: boolean) => void;

/**
 * Owns the questions that have no answer yet. Concurrent callers of one question share one request. `keep` gets each
 * answer before the question's callers get it. If `forget` was called for the question's flag after the question was
 * asked, `keep` does not get the answer.
 */
export class CoalescedQuestions {
  private readonly flights = new Map<string, Flight>();

  constructor(
    private readonly ask: Ask,
    private readonly keep: Keep,
    private readonly deadlineMs: number,
    private readonly clock: Clock,
  ) {}

  isUnderWay(key: string): boolean {
    return this.flights.has(key);
  }

  /**
   * Returns the `Flight` of the same question if there is one, and otherwise asks the question, and makes a `Flight`
   * that later callers of this question share.
   */
  fly(key: string, question: Question, isExtended = false): Flight {
    const { flights } = this;
    const joined = flights.get(key);
    if (joined !== undefined) return joined;
    // No caller waits for a refresh in the background, but the refresh also needs a deadline, so that it ends.
    const callers = { until: this.clock.now() + this.deadlineMs };
    const answer = this.ask(question, () => callers.until).then((answer) => {
      if (flights.get(key) === flight) {
        flights.delete(key);
        this.keep(key, question, answer, isExtended);
      }
      return answer;
    });
    const flight: Flight = { flag: question.flag, answer, callers };
    flights.set(key, flight);
    return flight;
  }

  /** Waits for the answer to a question. Resolves with a failure if no answer has come within `deadlineMs`. */
  async byDeadline({ answer, callers }: Flight): Promise<Answer> {
    const { deadlineMs, clock } = this;
    callers.until = clock.now() + deadlineMs;
    const answered = await orLate(answer, deadlineMs, clock);
    return answered === 'late' ? failed(pastDeadline(deadlineMs)) : answered;
  }

  /**
   * Makes sure that answers to earlier questions about these flags are not stored. Callers that wait for an answer
   * still get it. If `flags` is `undefined`, no answer to an earlier question is stored, whatever its flag is.
   */
  forget(flags?: ReadonlySet<string>): void {
    for (const [key, { flag }] of this.flights) if (flags?.has(flag) !== false) this.flights.delete(key);
  }
}

/** Makes the failure for a caller whose deadline has passed. */
export function pastDeadline(deadlineMs: number): Failure {
  return { kind: 'deadline', message: `no answer from Flipt within ${deadlineMs} ms (deadlineMs)` };
}
