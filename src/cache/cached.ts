import type { Clock } from '../clock.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import { failedResolution, type Resolution } from '../model/resolution.js';
import type { Answer, Ask, KnownAnswer } from '../model/answer.js';
import { traitsOf } from '../model/failure-traits.js';
import type { Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import {
  freshness,
  freshnessOf,
  type Freshness,
  type FreshnessSettings,
  type Reliance,
} from './freshness.js';
import { answerStore, type CacheSize, type Entry, type StoreSettings } from './answer-store.js';
import type { GivenContext, KnownQuestion } from './known-questions.js';

export interface CacheSettings {
  /** `undefined`: nothing is kept. */
  readonly cache: (FreshnessSettings & StoreSettings) | undefined;
  readonly deadlineMs: number;
  /** Why the service would not be asked now; `undefined` if it would be asked. */
  readonly refusal: () => Failure | undefined;
  /** What the watch knows about the flags; `undefined` without a watch. */
  readonly watch?: FlagWatch | undefined;
}

export interface FlagWatch {
  /** Whether this answer, which has just arrived, holds until its flag changes. */
  readonly confirms: (question: Question, answer: KnownAnswer) => boolean;
  readonly reliance: (now: number) => Reliance;
  /**
   * The snapshot's answer to a question that the service does not answer; `undefined` without one. If the snapshot knows
   * only that the flag exists, a failure that is older than any known answer.
   */
  readonly evaluate: (question: Question, failure: Failure) => Resolution | undefined;
}

export interface Cached {
  /** The entry of a question, fresh or not, to be used in this turn of the event loop. */
  readonly find: (key: string) => Entry | undefined;
  /** The same by the question's context, if it is remembered: the hot path. */
  readonly recall: (flag: string, context: GivenContext) => Entry | undefined;
  /** From now on, `recall` finds the entry by this question, for as long as the entry is kept. */
  readonly remember: (entry: Entry, questionOf: () => KnownQuestion | undefined) => void;
  /** The answer of an entry while it is fresh: the hot path. */
  readonly fresh: (entry: Entry) => Resolution | undefined;
  /** Synchronous if a known answer may be used at once. Never rejects, and never ends later than the deadline. */
  readonly ask: (key: string, question: Question) => Resolution | Promise<Resolution>;
  /** Forgets the answers of some flags, or of all, including answers that are under way. */
  readonly forget: (flags?: readonly string[]) => void;
  /** Whether there is an answer to fall back on if the service fails. */
  readonly knowsAnything: () => boolean;
  /** How many answers are kept, and their bytes. */
  readonly size: () => CacheSize;
}

/** Frozen, because the user's listeners receive these objects, too. */
const HIT = Object.freeze({ type: 'hit' });
const STALE_HIT = Object.freeze({ type: 'stale-hit' });

interface Usable {
  readonly resolution: Resolution;
  readonly state: 'fresh' | 'stale' | 'last-known';
}

interface Callers {
  /** When the last caller gives up, in the clock's milliseconds. */
  until: number;
}

interface Flight {
  readonly flag: string;
  readonly answer: Promise<Answer>;
  readonly callers: Callers;
  /** Ends it when its only caller gives up; `undefined` if callers may share it. */
  readonly end?: () => void;
}

/** Keeps answers. Concurrent callers of one question share one request. */
export function cached(ask: Ask, settings: CacheSettings, clock: Clock, { wants, report }: Reporter): Cached {
  const { cache, deadlineMs, refusal, watch } = settings;
  const store = cache && answerStore(cache, clock);
  const flights = new Map<string, Flight>();
  /** How often something was forgotten. */
  let forgotten = 0;

  const stateOf = (
    { answer, untilChange, at }: Entry,
    now: number,
    freshFor: FreshnessSettings,
  ): Freshness => {
    const ageMs = now - at;
    const byAge = freshness(answer.kind, ageMs, freshFor);
    if (byAge === 'fresh' || !untilChange || watch === undefined) return byAge;
    return freshnessOf({ kind: answer.kind, ageMs, untilChange }, freshFor, watch.reliance(now));
  };

  const usable = (key: string): Usable | undefined => {
    const entry = store?.get(key);
    if (entry === undefined || cache === undefined) return undefined;
    const now = clock.now();
    const state = stateOf(entry, now, cache);
    if (state !== 'gone') return { resolution: known(entry, now, entry.unconfirmed), state };
    store?.delete(key);
    return undefined;
  };

  /** The snapshot's answer or the last known one, whichever is younger, if this failure allows either. */
  const instead = (key: string, question: Question, failure: Failure): Resolution => {
    if (!traitsOf(failure).lastKnownAnswer) return failedResolution(failure);
    const evaluated = watch?.evaluate(question, failure);
    const last = usable(key);
    if (last !== undefined && last.resolution.ageMs < (evaluated?.ageMs ?? Infinity)) {
      return { ...last.resolution, stale: true };
    }
    return evaluated ?? failedResolution(failure);
  };

  const keep = (key: string, question: Question, answer: KnownAnswer) => {
    store?.set(key, question.flag, answer, clock.now(), watch?.confirms(question, answer));
  };

  const settle = (key: string, question: Question, answer: Answer) => {
    if (answer.kind !== 'failed') keep(key, question, answer);
    else store?.markUnconfirmed(key);
  };

  /** Without a background, another caller's request may end with that caller. So nobody joins it. */
  const flyAlone = (key: string, question: Question): Flight => {
    const callers: Callers = { until: clock.now() + deadlineMs };
    const ending = new AbortController();
    const before = forgotten;
    const answer = ask(question, () => callers.until, ending.signal).then((answer) => {
      if (forgotten === before) settle(key, question, answer);
      return answer;
    });
    const end = () => {
      ending.abort();
    };
    return { flag: question.flag, callers, answer, end };
  };

  const fly = (key: string, question: Question): Flight => {
    if (clock.hasBackground === false) return flyAlone(key, question);
    const joined = flights.get(key);
    if (joined !== undefined) return joined;
    // Nobody waits for a refresh in the background, but it must end as well.
    const callers: Callers = { until: clock.now() + deadlineMs };
    const flight: Flight = {
      flag: question.flag,
      callers,
      answer: ask(question, () => callers.until).then((answer) => {
        // Forgotten while it was under way: its callers get the answer, but it is not kept.
        if (flights.get(key) === flight) {
          flights.delete(key);
          settle(key, question, answer);
        }
        return answer;
      }),
    };
    flights.set(key, flight);
    return flight;
  };

  const byDeadline = (key: string, question: Question, flight: Flight): Promise<Resolution> => {
    flight.callers.until = clock.now() + deadlineMs;
    return new Promise((resolve) => {
      const timeUp = () => {
        resolve(instead(key, question, late(deadlineMs)));
        flight.end?.();
      };
      // After a blocked event loop, the answer may already wait in the socket. The end of the turn lets it arrive
      // before the deadline counts.
      const cancel = clock.after(deadlineMs, () => {
        clock.endOfTurn(timeUp);
      });
      void flight.answer.then((answer) => {
        cancel();
        resolve(
          answer.kind === 'failed'
            ? instead(key, question, answer.failure)
            : { answer, source: 'service', ageMs: 0, stale: false },
        );
      });
    });
  };

  const reportLookUp = (isStale: boolean, isUnderWay: boolean, question: Question) => {
    if (isStale) report(STALE_HIT);
    // It costs no request of its own.
    else if (isUnderWay) report({ type: 'joined', flag: question.flag });
    else if (wants.miss) report({ type: 'miss', question });
  };

  return {
    find: (key) => store?.peek(key),
    recall: (flag, context) => store?.recall(flag, context),
    remember(entry, questionOf) {
      store?.remember(entry, questionOf);
    },
    fresh(entry) {
      if (cache === undefined) return undefined;
      // Reads the clock only once: this is the hot path.
      const now = clock.now();
      if (stateOf(entry, now, cache) !== 'fresh') return undefined;
      store?.use(entry, now);
      const resolution = known(entry, now, false);
      if (wants.hit) report(HIT);
      return resolution;
    },
    ask(key, question) {
      const refused = refusal();
      // Not reported as a look-up: an outage does not show how well the cache works.
      if (refused !== undefined) return instead(key, question, refused);
      const before = usable(key);
      // Without a background, nothing would refresh a stale answer: its caller waits for the service.
      const isStale = before?.state === 'stale' && clock.hasBackground !== false;
      reportLookUp(isStale, flights.has(key), question);
      const flight = fly(key, question);
      return isStale ? before.resolution : byDeadline(key, question, flight);
    },
    forget(flags) {
      forgotten++;
      if (flags === undefined) {
        flights.clear();
        store?.clear();
        return;
      }
      const named = new Set(flags);
      for (const [key, { flag }] of flights) if (named.has(flag)) flights.delete(key);
      store?.deleteFlags(named);
    },
    knowsAnything: () =>
      cache !== undefined && (store?.some((entry) => stateOf(entry, clock.now(), cache) !== 'gone') ?? false),
    size: () => store?.size() ?? { entries: 0, bytes: 0 },
  };
}

function known({ answer, requestId, at }: Entry, now: number, stale: boolean): Resolution {
  return { answer, requestId, source: 'cache', ageMs: now - at, stale };
}

function late(deadlineMs: number): Failure {
  return { kind: 'deadline', message: `no answer from Flipt within ${deadlineMs} ms (deadlineMs)` };
}
