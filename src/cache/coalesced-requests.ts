import { failed, type Answer, type Ask, type Question } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Clock } from '../time/clock.js';
import { orLate } from '../time/in-time.js';

interface Flight {
  readonly flag: string;
  readonly answer: Promise<Answer>;
  /** When the last caller gives up, in the clock's milliseconds. */
  readonly callers: { until: number };
  /** Ends it when its only caller gives up; `undefined` if callers may share it. */
  readonly ending: AbortController | undefined;
}

/** What becomes of the answer to a question. `isExtended`: a browser has added to the context. */
export type Keep = (key: string, question: Question, answer: Answer, isExtended: boolean) => void;

/**
 * Questions under way. Concurrent callers of one question share one request. `keep` gets each answer that was not
 * forgotten while it was under way, before its callers get it.
 */
export function coalescedRequests(ask: Ask, keep: Keep, deadlineMs: number, clock: Clock) {
  const flights = new Map<string, Flight>();
  /** How often something was forgotten. */
  let forgotten = 0;
  // Without a background, a caller's request may end with that caller, and never settle. So nobody joins it.
  const outliveCallers = clock.hasBackground;

  const fly = (key: string, question: Question, isExtended = false): Flight => {
    const joined = flights.get(key);
    if (joined !== undefined) return joined;
    const before = forgotten;
    const ending = outliveCallers ? undefined : new AbortController();
    // Nobody waits for a refresh in the background, but it must end as well.
    const callers = { until: clock.now() + deadlineMs };
    const answer = ask(question, () => callers.until, ending?.signal).then((answer) => {
      const isKept = outliveCallers ? flights.get(key) === flight : forgotten === before;
      if (isKept) {
        flights.delete(key);
        keep(key, question, answer, isExtended);
      }
      return answer;
    });
    const flight: Flight = { flag: question.flag, answer, callers, ending };
    if (outliveCallers) flights.set(key, flight);
    return flight;
  };

  const byDeadline = async ({ answer, callers, ending }: Flight): Promise<Answer> => {
    callers.until = clock.now() + deadlineMs;
    const answered = await orLate(answer, deadlineMs, clock);
    if (answered !== 'late') return answered;
    ending?.abort();
    return failed(pastDeadline(deadlineMs));
  };

  return {
    /** Whether a request goes on after its callers. */
    outliveCallers,
    isUnderWay: (key: string) => flights.has(key),
    /** Joins the question if it is under way, else asks it. */
    fly,
    /** Waits for the answer, until the deadline. */
    byDeadline,
    /** Callers get the answers that are under way, of some flags or of all, but these are not kept. */
    forget(flags?: ReadonlySet<string>) {
      forgotten++;
      for (const [key, { flag }] of flights) if (flags?.has(flag) !== false) flights.delete(key);
    },
  };
}

/** A caller gave up. */
export function pastDeadline(deadlineMs: number): Failure {
  return { kind: 'deadline', message: `no answer from Flipt within ${deadlineMs} ms (deadlineMs)` };
}
