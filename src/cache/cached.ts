import type { Clock } from '../clock.js';
import { failedResolution, type Resolution } from '../model/resolution.js';
import type { Answer, Ask, KnownAnswer } from '../model/answer.js';
import { traitsOf, type Failure } from '../model/failure.js';
import type { Question } from '../model/question.js';
import { freshness, type FreshnessSettings } from './freshness.js';
import { answerStore, type Entry, type StoreSettings } from './answer-store.js';
import { hitRateWatch } from '../diagnostics/hit-rate.js';

export interface CacheSettings {
  /** `undefined`: nothing is kept. */
  readonly cache: (FreshnessSettings & StoreSettings) | undefined;
  readonly deadlineMs: number;
  /** Why the service would not be asked now; `undefined` while it would. */
  readonly refusal: () => Failure | undefined;
  readonly warn: (message: string) => void;
}

export interface Cached {
  /** What is known and fresh: the hot path. */
  readonly fresh: (key: string) => Resolution | undefined;
  /** At once where something may be told at once. Never rejects, never later than the deadline. */
  readonly ask: (key: string, question: Question) => Resolution | Promise<Resolution>;
  /** Forgets answers, also those on their way: of some flags, or of all. */
  readonly forget: (flags?: readonly string[]) => void;
  /** Whether there is an answer that could be told if the service failed. */
  readonly knowsAnything: () => boolean;
}

interface Callers {
  /** When the last of them gives up, in the clock's milliseconds. */
  until: number;
}

interface Flight {
  readonly flag: string;
  readonly answer: Promise<Answer>;
  readonly callers: Callers;
}

/** Remembers answers; each question that must be asked has one flight, which all who ask it meanwhile join. */
export function cached(ask: Ask, settings: CacheSettings, clock: Clock): Cached {
  const { cache, deadlineMs, refusal } = settings;
  const store = cache && answerStore(cache);
  const watch = cache && hitRateWatch(settings.warn);
  const flights = new Map<string, Flight>();

  const ageOf = (entry: Entry) => clock.now() - entry.at;

  const usable = (key: string): { entry: Entry; state: 'fresh' | 'stale' | 'last-known' } | undefined => {
    const entry = store?.get(key);
    if (entry === undefined || cache === undefined) return undefined;
    const state = freshness(entry.answer.kind, ageOf(entry), cache);
    if (state !== 'gone') return { entry, state };
    store?.delete(key);
    return undefined;
  };

  const known = (entry: Entry, stale: boolean): Resolution => ({
    answer: entry.answer,
    source: 'cache',
    ageMs: ageOf(entry),
    stale,
  });

  /** The last known answer, if this failure lets it be used. */
  const instead = (key: string, failure: Failure): Resolution => {
    const entry = traitsOf(failure).lastKnownAnswer ? usable(key)?.entry : undefined;
    return entry === undefined ? failedResolution(failure) : known(entry, true);
  };

  const fly = (key: string, question: Question): Flight => {
    const joined = flights.get(key);
    if (joined !== undefined) return joined;
    // A refresh in the background, which nobody waits for, must end as well.
    const callers: Callers = { until: clock.now() + deadlineMs };
    const flight: Flight = {
      flag: question.flag,
      callers,
      answer: ask(question, () => callers.until).then((answer) => {
        // Forgotten meanwhile: those who wait are told, but it is not kept.
        if (flights.get(key) === flight) {
          flights.delete(key);
          if (answer.kind !== 'failed') store?.set(key, question.flag, answer, clock.now());
          else store?.markUnconfirmed(key);
        }
        return answer;
      }),
    };
    flights.set(key, flight);
    return flight;
  };

  const byDeadline = (key: string, flight: Flight): Promise<Resolution> => {
    flight.callers.until = clock.now() + deadlineMs;
    return new Promise((resolve) => {
      const cancel = clock.after(deadlineMs, () => {
        resolve(instead(key, late(deadlineMs)));
      });
      void flight.answer.then((answer) => {
        cancel();
        resolve(
          answer.kind === 'failed'
            ? instead(key, answer.failure)
            : { answer, source: 'service', ageMs: 0, stale: false },
        );
      });
    });
  };

  return {
    fresh(key) {
      const entry = store?.get(key);
      if (entry === undefined || cache === undefined) return undefined;
      if (freshness(entry.answer.kind, ageOf(entry), cache) !== 'fresh') return undefined;
      watch?.hit();
      return known(entry, false);
    },
    ask(key, question) {
      const refused = refusal();
      // Not counted as a look-up: an outage says nothing about how well answers can be kept.
      if (refused !== undefined) return instead(key, refused);
      const before = usable(key);
      // Nor is a flight that is joined a miss: it costs no request.
      if (before?.state === 'stale' || flights.has(key)) watch?.hit();
      else watch?.miss(question);
      const flight = fly(key, question);
      return before?.state === 'stale'
        ? known(before.entry, before.entry.unconfirmed)
        : byDeadline(key, flight);
    },
    forget(flags) {
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
      cache !== undefined && (store?.some((entry) => isKnown(entry, ageOf(entry), cache)) ?? false),
  };
}

function isKnown(
  { answer }: { readonly answer: KnownAnswer },
  ageMs: number,
  settings: FreshnessSettings,
): boolean {
  return freshness(answer.kind, ageMs, settings) !== 'gone';
}

function late(deadlineMs: number): Failure {
  return { kind: 'deadline', message: `no answer from Flipt within ${deadlineMs} ms (deadlineMs)` };
}
