import { LRUCache } from 'lru-cache';
import type { LoopTime } from '../base/time/loop-time.js';
import {
  failedResolution,
  type Answer,
  type Ask,
  type KnownAnswer,
  type Question,
  type Resolution,
} from '../model/answer.js';
import { policyOf, type Failure } from '../model/failure.js';
import type { Runtime } from '../model/runtime.js';
import {
  freshnessOf,
  type Aging,
  type Freshness,
  type FreshnessSettings,
  type Sureness,
} from './freshness.js';

export interface CacheSettings extends FreshnessSettings {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

export interface AnswersSettings {
  /** `undefined`: no answers are cached. */
  readonly cache: CacheSettings | undefined;
  readonly deadlineMs: number;
  readonly time: LoopTime;
  /** Why the provider would not send this question now. */
  readonly refusal: (question: Question) => Failure | undefined;
  /** `undefined` if the options allow no snapshot. */
  readonly snapshot?: SnapshotForAnswers | undefined;
}

export interface SnapshotForAnswers {
  /** Whether the snapshot gives the same value as an answer that has just come. */
  readonly confirms: (question: Question, answer: KnownAnswer) => boolean;
  /** Told of each look for an answer: a process that was paused may have missed a poll. */
  readonly used: (now: number) => void;
  /** Told when Flipt does not know a flag. */
  readonly missing: (flag: string) => void;
  /** `undefined` if the snapshot is not polled. */
  readonly sureness: (now: number) => Sureness | undefined;
  /** The snapshot's answer where Flipt gives none, or `undefined` if it has none either. */
  readonly evaluate: (question: Question, failure: Failure) => Resolution | undefined;
}

interface Entry extends Aging {
  readonly flag: string;
  readonly answer: KnownAnswer;
  /** The flag's epoch in which the question was asked: dropping a flag's answers begins another one. */
  readonly epoch: number;
  /** Whether the last attempt to refresh the answer has failed. */
  isUnconfirmed: boolean;
}

interface Flight {
  readonly epoch: number;
  readonly answer: Promise<Answer>;
}

/** What a browser can make up gets its share of the limits, so that it pushes out nothing else. */
const BROWSERS_SHARE = 10;
/** An answer to a longer key is not stored, because it would push many others out. */
const LONGEST_KEY_BYTES = 64 * 1024;
/** What an entry takes beside its texts, measured. */
const ENTRY_BYTES = 400;
const HIT = Object.freeze({ type: 'hit' });
const STALE_HIT = Object.freeze({ type: 'stale-hit' });

/** Flipt's answers, as long as they can be used; callers who ask the same thing at the same time share one request. */
export function cachedAnswers(
  ask: Ask,
  { cache, deadlineMs, time, refusal, snapshot }: AnswersSettings,
  { clock, report }: Pick<Runtime, 'clock' | 'report'>,
) {
  const own = cache && openStore(cache, 1);
  const madeUp = cache && openStore(cache, BROWSERS_SHARE);
  const flights = new Map<string, Flight>();
  const epochs = new Map<string, number>();
  let begun = 0;
  let epochOfAll = 0;

  const epochOf = (flag: string) => epochs.get(flag) ?? epochOfAll;
  const isOver = ({ flag, epoch }: Entry) => epoch !== epochOf(flag);
  const find = (key: string): Entry | undefined => {
    const entry = own?.entries.get(key) ?? madeUp?.entries.get(key);
    return entry === undefined || isOver(entry) ? undefined : entry;
  };
  const freshnessAt = (entry: Entry, now: number): Freshness =>
    cache ? freshnessOf(entry, now, cache, (at) => snapshot?.sureness(at)) : 'gone';
  const fromCache = ({ answer, at }: Entry, now: number, stale: boolean): Resolution => ({
    answer,
    source: 'cache',
    ageMs: now - at,
    stale,
  });

  /** What a caller gets where Flipt gives no answer: the younger of the snapshot's answer and the last known one. */
  const instead = (key: string, question: Question, failure: Failure): Resolution => {
    if (!policyOf(failure).lastKnownAnswer) return failedResolution(failure);
    const evaluated = snapshot?.evaluate(question, failure);
    const entry = find(key);
    const now = clock.now();
    const isUsable = entry !== undefined && freshnessAt(entry, now) !== 'gone';
    if (isUsable && now - entry.at < (evaluated?.ageMs ?? Infinity)) return fromCache(entry, now, true);
    return evaluated ?? failedResolution(failure);
  };

  const keep = (key: string, question: Question, answer: Answer, epoch: number, isMadeUp: boolean) => {
    if (answer.kind === 'failed') {
      const entry = find(key);
      if (entry !== undefined) entry.isUnconfirmed = true;
      return;
    }
    if (answer.kind === 'missing') snapshot?.missing(question.flag);
    if (Buffer.byteLength(key) > LONGEST_KEY_BYTES) return;
    const store = isMadeUp && own?.entries.has(key) !== true ? madeUp : own;
    const untilChange = snapshot?.confirms(question, answer) ?? false;
    const { flag } = question;
    store?.keep(flat(key), { flag, answer, at: clock.now(), untilChange, epoch, isUnconfirmed: false });
  };

  const fly = (key: string, question: Question, isMadeUp: boolean): Promise<Answer> => {
    const epoch = epochOf(question.flag);
    const joined = flights.get(key);
    if (joined?.epoch === epoch) return joined.answer;
    const release = time.hold();
    const answer = ask(question, time.now() + deadlineMs).then((its) => {
      release();
      if (flights.get(key) === flight) flights.delete(key);
      // The flag has changed since the question was asked, so the answer is for those who have asked it alone.
      if (epoch === epochOf(question.flag)) keep(key, question, its, epoch, isMadeUp);
      return its;
    });
    const flight = { epoch, answer };
    flights.set(key, flight);
    return answer;
  };

  const byDeadline = async (
    key: string,
    question: Question,
    coming: Promise<Answer>,
  ): Promise<Resolution> => {
    const answer = await time.orLate(coming, time.now() + deadlineMs);
    if (answer === 'late') return instead(key, question, pastDeadline(deadlineMs));
    if (answer.kind === 'failed') return instead(key, question, answer.failure);
    return { answer, source: 'service', ageMs: 0, stale: false };
  };

  return {
    /** The hot path: a fresh answer, without a question and without a promise. */
    fresh(key: string): Resolution | undefined {
      const entry = find(key);
      if (entry === undefined) return undefined;
      const now = clock.now();
      snapshot?.used(now);
      if (freshnessAt(entry, now) !== 'fresh') return undefined;
      report(HIT);
      return fromCache(entry, now, false);
    },

    /** The promise resolves within `deadlineMs`, and never rejects. */
    resolve(key: string, question: Question, isMadeUp = false): Resolution | Promise<Resolution> {
      const { flag } = question;
      const refused = refusal(question);
      // Neither a hit nor a miss: an outage does not show how well the cache works.
      if (refused !== undefined) return instead(key, question, refused);
      const entry = find(key);
      const now = clock.now();
      snapshot?.used(now);
      if (entry !== undefined && freshnessAt(entry, now) === 'stale') {
        report(STALE_HIT);
        void fly(key, question, isMadeUp);
        return fromCache(entry, now, entry.isUnconfirmed);
      }
      report({ type: flights.get(key)?.epoch === epochOf(flag) ? 'joined' : 'miss', flag });
      return byDeadline(key, question, fly(key, question, isMadeUp));
    },

    /** Answers to what was asked before no longer count, for these flags or for all. */
    forget(flags?: Iterable<string>): void {
      begun++;
      if (flags !== undefined) {
        for (const flag of flags) epochs.set(flag, begun);
        return;
      }
      epochOfAll = begun;
      epochs.clear();
      own?.entries.clear();
      madeUp?.entries.clear();
    },

    /** Whether any answer could be used while Flipt fails. */
    knowsAnything(): boolean {
      const now = clock.now();
      for (const store of [own, madeUp])
        for (const entry of store?.entries.values() ?? [])
          if (!isOver(entry) && freshnessAt(entry, now) !== 'gone') return true;
      return false;
    },

    size: () => ({
      entries: (own?.entries.size ?? 0) + (madeUp?.entries.size ?? 0),
      bytes: (own?.entries.calculatedSize ?? 0) + (madeUp?.entries.calculatedSize ?? 0),
    }),
  };
}

export type CachedAnswers = ReturnType<typeof cachedAnswers>;

function openStore({ maxEntries, maxBytes }: CacheSettings, share: number) {
  // The option `max` would allocate memory for all entries at once.
  const most = Math.max(1, Math.floor(maxEntries / share));
  const entries = new LRUCache<string, Entry>({
    maxSize: Math.max(1, Math.floor(maxBytes / share)),
    sizeCalculation: ({ flag, answer }, key) => ENTRY_BYTES + Buffer.byteLength(key + flag) + bytesOf(answer),
  });
  const keep = (key: string, entry: Entry) => {
    if (entries.size >= most && !entries.has(key)) entries.pop();
    entries.set(key, entry);
  };
  return { entries, keep };
}

function bytesOf(answer: KnownAnswer): number {
  if (answer.kind === 'missing') return 0;
  const texts = [answer.requestId, ...(answer.segmentKeys ?? [])];
  if (answer.kind === 'variant') texts.push(answer.variant, answer.attachment);
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/**
 * V8 keeps a string that was put together from pieces as a tree of these pieces, which takes several times the memory.
 * The copy is in UTF-16, because UTF-8 would lose lone surrogates.
 */
function flat(key: string): string {
  return Buffer.from(key, 'utf16le').toString('utf16le');
}

export function pastDeadline(deadlineMs: number): Failure {
  return { kind: 'deadline', message: `no answer from Flipt within ${deadlineMs} ms (deadlineMs)` };
}
