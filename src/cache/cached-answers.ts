import type { Answer, Resolution, Ask, KnownAnswer, Question } from '../model/answer.js';
import type { Failure } from '../model/failure.js';
import type { Runtime } from '../runtime.js';
import { answerInOutage } from './answer-in-outage.js';
import { freshnessOf, type FreshnessSettings, type Reliance } from './freshness.js';
import { answerStore, type AnswerStore, type Entry } from './answer-store.js';
import { coalescedRequests, type Keep } from './coalesced-requests.js';
import type { StoreSettings } from './cache-share.js';

export interface CacheSettings {
  /** `undefined`: nothing is kept. */
  readonly cache: (FreshnessSettings & StoreSettings) | undefined;
  readonly deadlineMs: number;
  /** Why the service would not be asked this now; `undefined` if it would be asked. */
  readonly refusal: (question: Question) => Failure | undefined;
  /** What the watch knows about the flags; `undefined` without a watch. */
  readonly watch?: SnapshotForCache | undefined;
}

export interface SnapshotForCache {
  /** Whether this answer, which has just arrived, holds until its flag changes. */
  readonly confirms: (question: Question, answer: KnownAnswer) => boolean;
  /** The service has answered that there is no such flag. */
  readonly missing: (flag: string) => void;
  /** `undefined` while nothing is watched. */
  readonly reliance: (now: number) => Reliance | undefined;
  /**
   * The snapshot's answer to a question that the service does not answer; `undefined` without one. If the snapshot
   * knows only the flag's key, this is a failure, and any kept answer wins.
   */
  readonly evaluate: (question: Question, failure: Failure) => Resolution | undefined;
}

/** Frozen, because the user's listeners receive these objects, too. */
const HIT = Object.freeze({ type: 'hit' });
const STALE_HIT = Object.freeze({ type: 'stale-hit' });

/** Keeps answers. Concurrent callers of one question share one request. */
export function cachedAnswers(ask: Ask, settings: CacheSettings, { clock, wants, report }: Runtime) {
  const { cache, deadlineMs, refusal, watch } = settings;
  const store = cache && answerStore(cache, clock);
  /** Where entries are found, fresh or not; `undefined` if nothing is kept. */
  const entries: Pick<AnswerStore, 'peek' | 'recall' | 'remember'> | undefined = store;

  const stateOf = (entry: Entry, now: number) => (cache ? freshnessOf(entry, now, cache, watch) : 'gone');

  const usable = (key: string) => {
    const entry = store?.get(key);
    if (entry === undefined) return undefined;
    const now = clock.now();
    const state = stateOf(entry, now);
    if (state !== 'gone') return { resolution: known(entry, now, entry.unconfirmed), state };
    store?.delete(key);
    return undefined;
  };

  const instead = (key: string, question: Question, failure: Failure) => {
    const evaluated = () => watch?.evaluate(question, failure);
    return answerInOutage(failure, evaluated, () => usable(key)?.resolution);
  };

  const answered = (key: string, question: Question, answer: Answer): Resolution =>
    answer.kind === 'failed'
      ? instead(key, question, answer.failure)
      : { answer, source: 'service', ageMs: 0, stale: false };

  const keep: Keep = (key, question, answer, isExtended) => {
    if (answer.kind === 'missing') watch?.missing(question.flag);
    if (answer.kind === 'failed') store?.markUnconfirmed(key);
    else {
      const untilChange = store && watch?.confirms(question, answer);
      store?.set(key, question.flag, answer, { at: clock.now(), untilChange, isExtended });
    }
  };
  const requests = coalescedRequests(ask, keep, deadlineMs, clock);

  return {
    store: entries,
    /** The answer of an entry while it is fresh. Reads the clock only once: this is the hot path. */
    fresh(entry: Entry): Resolution | undefined {
      const now = clock.now();
      if (stateOf(entry, now) !== 'fresh') return undefined;
      store?.use(entry, now);
      const resolution = known(entry, now, false);
      if (wants.hit) report(HIT);
      return resolution;
    },
    /** Synchronous if a known answer may be used at once. Never rejects, and never ends later than the deadline. */
    ask(key: string, question: Question, isExtended = false): Resolution | Promise<Resolution> {
      const refused = refusal(question);
      // Not reported as a look-up: an outage does not show how well the cache works.
      if (refused !== undefined) return instead(key, question, refused);
      const before = usable(key);
      // Otherwise nothing would refresh a stale answer: its caller waits for the service.
      const isStale = before?.state === 'stale' && requests.outliveCallers;
      if (isStale) report(STALE_HIT);
      // It costs no request of its own.
      else if (requests.isUnderWay(key)) report({ type: 'joined', flag: question.flag });
      else if (wants.miss) report({ type: 'miss', question });
      const flight = requests.fly(key, question, isExtended);
      if (isStale) return before.resolution;
      return requests.byDeadline(flight).then((answer) => answered(key, question, answer));
    },
    /** Forgets the answers of some flags, or of all, including answers that are under way. */
    forget(flags?: readonly string[]) {
      const named = flags && new Set(flags);
      requests.forget(named);
      if (named === undefined) store?.clear();
      else store?.deleteFlags(named);
    },
    /** Whether there is an answer to fall back on if the service fails. */
    knowsAnything: () => store?.some((entry) => stateOf(entry, clock.now()) !== 'gone') ?? false,
    /** How many answers are kept, and their bytes. */
    size: () => store?.size() ?? { entries: 0, bytes: 0 },
  };
}

export type CachedAnswers = ReturnType<typeof cachedAnswers>;

function known({ answer, requestId, at }: Entry, now: number, stale: boolean): Resolution {
  return { answer, requestId, source: 'cache', ageMs: now - at, stale };
}
