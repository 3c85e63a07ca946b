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
  /**
   * Returns the reason why the provider would not send this question to Flipt now, or `undefined` if the provider would
   * send it.
   */
  readonly refusal: (question: Question) => Failure | undefined;
  /** The functions with which the cache uses the snapshot, or `undefined` if the options allow no snapshot. */
  readonly watch?: SnapshotForCache | undefined;
}

export interface SnapshotForCache {
  /**
   * Returns `true` if the snapshot gives the same value as an answer that has just come from Flipt. An answer that the
   * snapshot confirms usually stays fresh until its flag changes.
   */
  readonly confirms: (question: Question, answer: KnownAnswer) => boolean;
  /** The cache calls this function when Flipt has answered that a flag does not exist. */
  readonly missing: (flag: string) => void;
  /**
   * Returns how well the provider sees changes of flags at present, or `undefined` if the provider does not poll the
   * snapshot.
   */
  readonly reliance: (now: number) => Reliance | undefined;
  /**
   * Returns the snapshot's answer to a question that Flipt does not answer, or `undefined` if the snapshot has no
   * answer. If the snapshot has the flag but cannot evaluate it, the result is a failure, and the cache prefers any
   * cached answer to this failure.
   */
  readonly evaluate: (question: Question, failure: Failure) => Resolution | undefined;
}

/** `HIT` and `STALE_HIT` are frozen, because the user's listeners get these same objects each time. */
const HIT = Object.freeze({ type: 'hit' });
const STALE_HIT = Object.freeze({ type: 'stale-hit' });

/**
 * Answers questions (each is a flag and a context) from the cache or by asking Flipt, and caches Flipt's answers.
 * Concurrent callers of one question share one request.
 */
export class CachedAnswers {
  /**
   * The store of all cached answers, even of answers that are not fresh. This member is `undefined` if the options turn
   * the cache off.
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
   * Returns the answer of a cache entry if the answer is fresh, and otherwise `undefined`. The function reads the clock
   * only once, because it runs in most resolves.
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
   * Answers a question. If the call need not wait for Flipt, `ask` returns the resolution without a promise. If the
   * call has to wait for Flipt, `ask` returns a promise, which resolves within `deadlineMs` and never rejects.
   */
  ask(key: string, question: Question, isExtended = false): Resolution | Promise<Resolution> {
    const { requests } = this;
    const { wants, report } = this.runtime;
    const refused = this.settings.refusal(question);
    // If the provider does not send the question, it reports neither a hit nor a miss of the cache, because an outage
    // does not show how well the cache works.
    if (refused !== undefined) return this.instead(key, question, refused);
    const before = this.usable(key);
    const isStale = before?.state === 'stale';
    if (isStale) report(STALE_HIT);
    // If the same question has already been sent for another caller, or waits to be sent, this call needs no request of
    // its own.
    else if (requests.isUnderWay(key)) report({ type: 'joined', flag: question.flag });
    else if (wants.miss) report({ type: 'miss', question });
    const flight = requests.fly(key, question, isExtended);
    if (isStale) return before.resolution;
    return requests.byDeadline(flight).then((answer) => this.answered(key, question, answer));
  }

  /**
   * Removes the cached answers about these flags, and makes sure that answers to questions about these flags are not
   * stored if the questions were asked before this call. If `flags` is `undefined`, the function removes the answers
   * about all flags.
   */
  forget(flags?: readonly string[]): void {
    const named = flags && new Set(flags);
    this.requests.forget(named);
    if (named === undefined) this.store?.clear();
    else this.store?.deleteFlags(named);
  }

  /** Returns `true` if the cache has any answer that could be used while Flipt fails. */
  knowsAnything(): boolean {
    const now = this.runtime.clock.now();
    return this.store?.some((entry) => this.stateOf(entry, now) !== 'gone') ?? false;
  }

  /** Returns the size of the cache, which is 0 if the options turn the cache off. */
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

/** A cached answer that can still be used, and its freshness. */
interface Usable {
  readonly resolution: Resolution;
  readonly state: Freshness;
}

function resolutionOf({ answer, requestId, at }: Entry, now: number, stale: boolean): Resolution {
  return { answer, requestId, source: 'cache', ageMs: now - at, stale };
}

type Find = () => Resolution | undefined;

/**
 * Returns what a caller gets if Flipt gives no answer. For most kinds of failure, the caller gets the snapshot's answer
 * or the last known answer, whichever is younger. If the snapshot and the cache have no answer, or if the kind of
 * failure forbids another answer, the caller gets a failure.
 */
function answerInOutage(failure: Failure, evaluated: Find, lastKnown: Find): Resolution {
  if (!policyOf(failure).lastKnownAnswer) return failedResolution(failure);
  const given = evaluated();
  const last = lastKnown();
  if (last !== undefined && last.ageMs < (given?.ageMs ?? Infinity)) return { ...last, stale: true };
  return given ?? failedResolution(failure);
}
