import { LRUCache } from 'lru-cache';
import { pausing, withPauses, type Steps, type Turns } from '../../base/time/pausable-steps.js';
import type { KnownAnswer } from '../../model/answer.js';
import { CacheShare, type StoreSettings } from './cache-share.js';
import { answerBytes, entryBytes, mayBeRemembered } from './entry-bytes.js';
import type { Aging } from './freshness.js';
import { flat, isAskedAgain, type GivenContext, type RememberedQuestion } from './recall.js';

/** What the store needs to know about a new answer, besides the answer itself. */
export interface Arrival extends Pick<Aging, 'at'> {
  /** Whether the answer stays fresh until its flag changes, as {@link Aging} describes. Default: false. */
  readonly untilChange?: boolean | undefined;
  /**
   * Whether a browser has added attributes to the question's context. The answers for all contexts with attributes from
   * a browser take at most a tenth of the store. Default: false.
   */
  readonly isExtended?: boolean | undefined;
}

/** An answer in the store. */
export interface Entry extends Aging {
  readonly key: string;
  readonly flag: string;
  /**
   * The answer without its request id. The request id is a separate member, because it differs between answers that are
   * otherwise equal.
   */
  readonly answer: KnownAnswer;
  /** The id of the request that brought the answer, or `undefined` if the answer came without an id. */
  readonly requestId: string | undefined;
  /** Is `true` if the last attempt to refresh the answer has failed. */
  readonly unconfirmed: boolean;
  /** The second of the clock in which the answer came, or in which `AnswerStore.use` last noted a use of the entry. */
  readonly usedIn: number;
  readonly ofFlag: FlagAnswers;
  /**
   * The remembered context. If a caller has the same context again, `recall` finds the entry, and the caller need not
   * make a cache key. This member is `undefined` if the store remembers no context for this entry.
   */
  readonly question: RememberedQuestion | undefined;
}

/** The number of the store's entries, and their size in bytes as `cache.maxBytes` counts it. */
export interface StoreSize {
  readonly entries: number;
  readonly bytes: number;
}

/** The cached answers about one flag. Only the store changes this object. */
export interface FlagAnswers {
  readonly entries: Set<MutableEntry>;
  /** For each targetingKey, the entry whose context was remembered last. */
  readonly byEntity: Map<string, MutableEntry>;
  /**
   * Is `true` after `deleteFlags` or `clear` has been called for this flag. The store no longer returns the answers of
   * a forgotten flag, even if it has not deleted all of them yet.
   */
  isForgotten: boolean;
}

type MutableEntry = { -readonly [Name in keyof Entry]: Entry[Name] };

/**
 * If a cache key has more bytes than this, the store does not store its answer, because the entry would push many other
 * entries out.
 */
const MAX_KEY_BYTES = 64 * 1024;
/** The store can delete about this many entries in a millisecond. */
const LEAVING_PER_MS = 1_000;
/**
 * The store looks for an equal answer only if the new answer has at most this many bytes. For larger answers, the
 * comparison would cost more than it saves.
 */
const MAX_COMPARED_BYTES = 1_000;

/**
 * Stores answers under their keys, up to a maximum number of entries and of bytes. The least recently used entries
 * leave the store first. The function `use` notes the use of an entry at most once a second. A caller must use an entry
 * only in the turn of the event loop in which it found the entry, because the entry can leave the store in the next
 * turn.
 */
export class AnswerStore {
  private readonly entries: LRUCache<string, MutableEntry>;
  private readonly flags = new Map<string, FlagAnswers>();
  private readonly equal = new EqualAnswers();
  private readonly browserShare: CacheShare;
  /**
   * The answers that `deleteFlags` and `clear` are deleting. The store deletes answers step by step, so that deleting
   * many answers does not block the event loop.
   */
  private readonly leaving: FlagAnswers[] = [];
  private isLeaving = false;
  private readonly pause: () => Promise<void> | undefined;

  constructor(
    private readonly settings: StoreSettings,
    clock: Turns,
  ) {
    const dispose = (entry: MutableEntry) => {
      this.left(entry);
    };
    // The option `max` is not set, because the constructor of `LRUCache` would allocate memory for all `max` entries,
    // which takes a millisecond. Instead of the option `max`, the function `set` limits the number of entries.
    this.entries = new LRUCache({ maxSize: settings.maxBytes, dispose });
    this.browserShare = new CacheShare(settings, (key) => this.entries.delete(key));
    this.pause = pausing(LEAVING_PER_MS, clock);
  }

  /** Returns the entry of this key. The look-up does not count as a use of the entry. */
  peek(key: string): Entry | undefined {
    return valid(this.entries.peek(key));
  }

  get(key: string): Entry | undefined {
    this.browserShare.use(key);
    return valid(this.entries.get(key));
  }

  /**
   * Returns the entry whose remembered question has this flag and this context. The look-up does not count as a use of
   * the entry.
   */
  recall(flag: string, context: GivenContext): Entry | undefined {
    const entity = context.targetingKey;
    if (typeof entity !== 'string') return undefined;
    const entry = this.flags.get(flag)?.byEntity.get(entity);
    return entry?.question && isAskedAgain(entry.question, context) ? entry : undefined;
  }

  /**
   * Makes `recall` find the entry by the context that `questionOf` returns. The function does nothing if the entry's
   * key is too long, if the entry has left the store, or if `questionOf` returns `undefined`.
   */
  remember(entry: MutableEntry, questionOf: () => RememberedQuestion | undefined): void {
    const { key, ofFlag } = entry;
    if (!mayBeRemembered(key) || !ofFlag.entries.has(entry)) return;
    const question = questionOf();
    if (question === undefined) return;
    const { entity } = question;
    const before = ofFlag.byEntity.get(entity);
    if (before !== undefined) before.question = undefined;
    unremember(entry);
    entry.question = question;
    ofFlag.byEntity.set(entity, entry);
  }

  /**
   * Notes that the caller has used an entry. The entry becomes the most recently used entry at most once a second,
   * because doing this for every use would access more memory.
   */
  use(entry: MutableEntry, now: number): void {
    const second = secondOf(now);
    if (entry.usedIn === second) return;
    entry.usedIn = second;
    this.browserShare.use(entry.key);
    this.entries.get(entry.key);
  }

  set(key: string, flag: string, answer: KnownAnswer, arrival: Arrival): void {
    const { at, untilChange = false, isExtended = false } = arrival;
    if (Buffer.byteLength(key) > MAX_KEY_BYTES) return;
    const ownBytes = answerBytes(answer);
    const size = entryBytes(key, flag) + ownBytes;
    // If the new answer is too large for the store, or for the browsers' share of the store, the older answer to the
    // same question must not stay in the store.
    if (size > this.settings.maxBytes || (isExtended && !this.browserShare.hasRoomFor(size))) {
      this.entries.delete(key);
      return;
    }
    const requestId = answer.kind === 'missing' ? undefined : answer.requestId || undefined;
    const shared = answer.kind === 'missing' ? answer : { ...answer, requestId: '' };
    const ofFlag = this.flags.get(flag) ?? { entries: new Set(), byEntity: new Map(), isForgotten: false };
    // Each member is written by name, because an object made by a spread would take twice the memory.
    const entry: MutableEntry = {
      key: flat(key),
      flag,
      answer: ownBytes > MAX_COMPARED_BYTES ? shared : this.equal.same(shared),
      requestId,
      untilChange,
      at,
      unconfirmed: false,
      usedIn: secondOf(at),
      ofFlag,
      question: undefined,
    };
    // An answer for a browser is added to the browsers' share of the store first. If the browsers' share is full, the
    // least recently used answer for a browser leaves the store, and not an answer for the app.
    if (isExtended) this.browserShare.add(entry.key, entry, size);
    if (this.entries.size >= this.settings.maxEntries && !this.entries.has(key)) this.entries.pop();
    this.entries.set(entry.key, entry, { size });
    // The entry is added to its flag only after it was added to the store, because the store might have pushed out the
    // flag's last other entry, and the flag with it.
    ofFlag.entries.add(entry);
    this.flags.set(flag, ofFlag);
  }

  markUnconfirmed(key: string): void {
    const entry = this.entries.peek(key);
    if (entry !== undefined) entry.unconfirmed = true;
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  /**
   * After this call, the store finds no answers about these flags until new ones are stored. The old answers leave the
   * store at once, or in the next turns of the event loop if there are many answers.
   */
  deleteFlags(named: readonly string[] | ReadonlySet<string>): void {
    for (const flag of named) {
      const forgotten = this.flags.get(flag);
      if (forgotten === undefined) continue;
      forgotten.isForgotten = true;
      this.flags.delete(flag);
      this.leaving.push(forgotten);
    }
    if (this.isLeaving || this.leaving.length === 0) return;
    this.isLeaving = true;
    void withPauses(this.leave(), this.pause);
  }

  /** Deletes the answers about all flags, as `deleteFlags` does. */
  clear(): void {
    this.deleteFlags([...this.flags.keys()]);
  }

  some(test: (entry: Entry) => boolean): boolean {
    for (const entry of this.entries.values()) if (!entry.ofFlag.isForgotten && test(entry)) return true;
    return false;
  }

  /** Returns the number of entries, and their size in bytes as `maxBytes` counts it. */
  size(): StoreSize {
    return { entries: this.entries.size, bytes: this.entries.calculatedSize };
  }

  private *leave(): Steps<void> {
    for (let ofFlag = this.leaving.pop(); ofFlag !== undefined; ofFlag = this.leaving.pop()) {
      for (const { key } of ofFlag.entries) {
        this.entries.delete(key);
        yield;
      }
    }
    this.isLeaving = false;
  }

  /** The LRU cache calls this function when an entry was replaced, evicted or deleted. */
  private left(entry: MutableEntry): void {
    const { key, flag, ofFlag } = entry;
    unremember(entry);
    this.browserShare.remove(key, entry);
    ofFlag.entries.delete(entry);
    if (ofFlag.entries.size === 0 && this.flags.get(flag) === ofFlag) this.flags.delete(flag);
  }
}

function valid(entry: Entry | undefined): Entry | undefined {
  return entry?.ofFlag.isForgotten ? undefined : entry;
}

function unremember(entry: MutableEntry): void {
  const { question, ofFlag } = entry;
  if (question !== undefined) ofFlag.byEntity.delete(question.entity);
  entry.question = undefined;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}

/** A new answer is compared with at most this many other answers. */
const MAX_ANSWERS = 1_000;

/**
 * Makes equal answers share one object. A namespace has many users but few different answers. A look-up in the cache
 * spends most of its time waiting for memory. An object that many users share is faster to read, because it was
 * probably read a moment ago for another user.
 */
export class EqualAnswers {
  private readonly answers = new Map<string, KnownAnswer>();

  /** Returns an earlier answer that is equal to this answer, or this answer if there is no equal one. */
  same(answer: KnownAnswer): KnownAnswer {
    const text = JSON.stringify(answer);
    const same = this.answers.get(text);
    if (same !== undefined) return same;
    // If the map is full, which is rare, the code empties the map. The next refresh of each answer adds the answer to
    // the map again.
    if (this.answers.size >= MAX_ANSWERS) this.answers.clear();
    this.answers.set(text, answer);
    return answer;
  }
}
