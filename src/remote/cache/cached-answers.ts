import {
  failedResolution,
  type Answer,
  type Resolution,
  type Ask,
  type KnownAnswer,
  type Question,
} from '../../model/answer.js';
import { policyOf, type Failure } from '../../model/failure.js';
import type { Runtime } from '../../model/runtime.js';
import { freshnessOf, type Freshness, type FreshnessSettings, type Reliance } from './freshness.js';
import { AnswerStore, type Entry, type StoreSize } from './answer-store.js';
import { CoalescedQuestions, type Keep } from './coalescing.js';
import type { StoreSettings } from './cache-share.js';

export interface CacheSettings {
  /** The settings of the cache, or `undefined` if no answers are cached. */
  readonly cache: (FreshnessSettings & StoreSettings) | undefined;
  readonly deadlineMs: number;
  /** Returns why the service would not be asked this question now, or `undefined` if the service would be asked. */
  readonly refusal: (question: Question) => Failure | undefined;
  /**
   * The functions that compare answers with the watched snapshot, or `undefined` if the provider does not watch a
   * snapshot.
   */
  readonly watch?: SnapshotForCache | undefined;
}

export interface SnapshotForCache {
  /** Returns whether an answer that has just arrived holds until its flag changes. */
  readonly confirms: (question: Question, answer: KnownAnswer) => boolean;
  /** To be called when the service has answered that a flag does not exist. */
  readonly missing: (flag: string) => void;
  /** Returns how far the watch of the snapshot can be relied on, or `undefined` while no snapshot is watched. */
  readonly reliance: (now: number) => Reliance | undefined;
  /**
   * Returns the snapshot's answer to a question that the service does not answer, or `undefined` if the snapshot has no
   * answer. If the snapshot cannot evaluate the flag, the result is a failure, and any cached answer is preferred to
   * it.
   */
  readonly evaluate: (question: Question, failure: Failure) => Resolution | undefined;
}

/** These two reports are frozen, because the user's listeners receive the same objects. */
const HIT = Object.freeze({ type: 'hit' });
const STALE_HIT = Object.freeze({ type: 'stale-hit' });

/**
 * Answers questions from the cache or from the service, and caches the service's answers. Concurrent callers of one
 * question share one request.
 */
export class CachedAnswers {
  /**
   * The store of the cached answers, whether these are fresh or not. The store is `undefined` if no answers are cached.
   */
  readonly store: AnswerStore | undefined;
  private readonly requests: CoalescedQuestions;

  constructor(
    ask: Ask,
    private readonly settings: CacheSettings,
    private readonly runtime: Runtime,
  ) {
    const { cache, deadlineMs } = settings;
    this.store = cache && new AnswerStore(cache, runtime.clock);
    this.requests = new CoalescedQuestions(ask, this.keep, deadlineMs, runtime.clock);
  }

  /**
   * Returns the answer of an entry if that answer is fresh, and otherwise `undefined`. The clock is read only once,
   * because this function is the hot path.
   */
  fresh(entry: Entry): Resolution | undefined {
    const { clock, wants, report } = this.runtime;
    const now = clock.now();
    if (this.stateOf(entry, now) !== 'fresh') return undefined;
    this.store?.use(entry, now);
    const resolution = resolutionOf(entry, now, false);
    if (wants.hit) report(HIT);
    return resolution;
  }

  /**
   * Answers a question. If a cached answer can be used at once, `ask` returns that answer itself and not a promise. A
   * promise never rejects, and settles no later than the deadline.
   */
  ask(key: string, question: Question, isExtended = false): Resolution | Promise<Resolution> {
    const { requests } = this;
    const { wants, report } = this.runtime;
    const refused = this.settings.refusal(question);
    // A question that is not sent is reported neither as a hit nor as a miss, because an outage does not show how well
    // the cache works.
    if (refused !== undefined) return this.instead(key, question, refused);
    const before = this.usable(key);
    const isStale = before?.state === 'stale';
    if (isStale) report(STALE_HIT);
    // A question that is under way already for another caller costs no request of its own.
    else if (requests.isUnderWay(key)) report({ type: 'joined', flag: question.flag });
    else if (wants.miss) report({ type: 'miss', question });
    const flight = requests.fly(key, question, isExtended);
    if (isStale) return before.resolution;
    return requests.byDeadline(flight).then((answer) => this.answered(key, question, answer));
  }

  /**
   * Forgets the answers about these flags, including answers that are under way. Without `flags`, the answers about all
   * flags are forgotten.
   */
  forget(flags?: readonly string[]): void {
    const named = flags && new Set(flags);
    this.requests.forget(named);
    if (named === undefined) this.store?.clear();
    else this.store?.deleteFlags(named);
  }

  /** Returns whether the cache holds any answer that could be used if the service fails. */
  knowsAnything(): boolean {
    const now = this.runtime.clock.now();
    return this.store?.some((entry) => this.stateOf(entry, now) !== 'gone') ?? false;
  }

  /** Returns the size of the cache, which is 0 if no answers are cached. */
  size(): StoreSize {
    return this.store?.size() ?? { entries: 0, bytes: 0 };
  }

  private stateOf(entry: Entry, now: number): Freshness {
    const { cache, watch } = this.settings;
    return cache ? freshnessOf(entry, now, cache, watch) : 'gone';
  }

  private usable(key: string): Usable | undefined {
    const entry = this.store?.get(key);
    if (entry === undefined) return undefined;
    const now = this.runtime.clock.now();
    const state = this.stateOf(entry, now);
    if (state !== 'gone') return { resolution: resolutionOf(entry, now, entry.unconfirmed), state };
    this.store?.delete(key);
    return undefined;
  }

  private instead(key: string, question: Question, failure: Failure): Resolution {
    const evaluated = () => this.settings.watch?.evaluate(question, failure);
    return answerInOutage(failure, evaluated, () => this.usable(key)?.resolution);
  }

  private answered(key: string, question: Question, answer: Answer): Resolution {
    if (answer.kind === 'failed') return this.instead(key, question, answer.failure);
    return { answer, source: 'service', ageMs: 0, stale: false };
  }

  private readonly keep: Keep = (key, question, answer, isExtended) => {
    const { store } = this;
    const { watch } = this.settings;
    if (answer.kind === 'missing') watch?.missing(question.flag);
    if (answer.kind === 'failed') store?.markUnconfirmed(key);
    else {
      const untilChange = store && watch?.confirms(question, answer);
      store?.set(key, question.flag, answer, { at: this.runtime.clock.now(), untilChange, isExtended });
    }
  };
}

/** An answer that can still be used, and its freshness. */
interface Usable {
  readonly resolution: Resolution;
  readonly state: Freshness;
}

function resolutionOf({ answer, requestId, at }: Entry, now: number, stale: boolean): Resolution {
  return { answer, requestId, source: 'cache', ageMs: now - at, stale };
}

type Find = () => Resolution | undefined;

/**
 * Returns what a caller gets if the service does not answer. If the kind of failure allows it, the caller gets the
 * answer of the snapshot or the last known answer, whichever is younger. If there is no such answer, or the failure
 * does not allow it, the caller gets the failure.
 */
function answerInOutage(failure: Failure, evaluated: Find, lastKnown: Find): Resolution {
  if (!policyOf(failure).lastKnownAnswer) return failedResolution(failure);
  const given = evaluated();
  const last = lastKnown();
  if (last !== undefined && last.ageMs < (given?.ageMs ?? Infinity)) return { ...last, stale: true };
  return given ?? failedResolution(failure);
}
