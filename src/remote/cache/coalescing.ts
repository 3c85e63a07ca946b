import { failed, type Answer, type Ask, type Question } from '../../model/answer.js';
import type { Failure } from '../../model/failure.js';
import type { Clock } from '../../base/time/clock.js';
import { orLate } from '../../base/time/in-time.js';

/** A question that is under way. */
export interface Flight {
  readonly flag: string;
  readonly answer: Promise<Answer>;
  /** `until` is the time at which the last caller gives up, in milliseconds of `clock.now()`. */
  readonly callers: { until: number };
}

/**
 * Stores the answer to a question, or lets it go. `isExtended` says whether a browser has added attributes to the
 * context.
 */
export type Keep = (key: string, question: Question, answer: Answer, isExtended: boolean) => void;

/**
 * Owns the questions under way. Concurrent callers of one question share one request. `keep` gets each answer before
 * the question's callers do, unless `forget` was called for the question in the meantime.
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

  /** Asks the question, unless the same question is under way already. Returns the question under way. */
  fly(key: string, question: Question, isExtended = false): Flight {
    const { flights } = this;
    const joined = flights.get(key);
    if (joined !== undefined) return joined;
    // Nobody waits for a refresh in the background, but the refresh needs a deadline, too, so that it ends.
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

  /** Waits for the answer. Resolves with a failure if no answer has come by the deadline. */
  async byDeadline({ answer, callers }: Flight): Promise<Answer> {
    const { deadlineMs, clock } = this;
    callers.until = clock.now() + deadlineMs;
    const answered = await orLate(answer, deadlineMs, clock);
    return answered === 'late' ? failed(pastDeadline(deadlineMs)) : answered;
  }

  /**
   * Makes sure that the answers under way about these flags are not stored. Their callers still get them. Without
   * `flags`, the function applies to all flags.
   */
  forget(flags?: ReadonlySet<string>): void {
    for (const [key, { flag }] of this.flights) if (flags?.has(flag) !== false) this.flights.delete(key);
  }
}

/** Makes the failure for a caller whose deadline has passed. */
export function pastDeadline(deadlineMs: number): Failure {
  return { kind: 'deadline', message: `no answer from Flipt within ${deadlineMs} ms (deadlineMs)` };
}
