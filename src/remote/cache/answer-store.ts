import { LRUCache } from 'lru-cache';
import { pausing, withPauses, type Steps, type Turns } from '../../base/time/pausable-steps.js';
import type { KnownAnswer } from '../../model/answer.js';
import { CacheShare, type StoreSettings } from './cache-share.js';
import { answerBytes, entryBytes, mayBeRemembered } from './entry-bytes.js';
import type { Aging } from './freshness.js';
import { flat, isAskedAgain, type GivenContext, type RememberedQuestion } from './recall.js';

/** How an answer has come. */
export interface Arrival extends Pick<Aging, 'at'> {
  /** As {@link Aging} has it. Default false. */
  readonly untilChange?: boolean | undefined;
  /** A browser has added to the context. Such answers take at most a tenth of the store. Default false. */
  readonly isExtended?: boolean | undefined;
}

/** A kept answer. */
export interface Entry extends Aging {
  readonly key: string;
  readonly flag: string;
  /** Without the id of its request, which differs even if all else is equal. */
  readonly answer: KnownAnswer;
  /** `undefined` if the request had no id. */
  readonly requestId: string | undefined;
  /** The last refresh of the answer failed. */
  readonly unconfirmed: boolean;
  /** When a hit last made this the most recently used entry, in whole seconds of the clock. */
  readonly usedIn: number;
  readonly ofFlag: FlagAnswers;
  /** The question that finds it without its key; `undefined` if none is remembered. */
  readonly question: RememberedQuestion | undefined;
}

/** How much the store holds. */
export interface StoreSize {
  readonly entries: number;
  readonly bytes: number;
}

/** What is kept of one flag. Only the store changes it. */
export interface FlagAnswers {
  readonly entries: Set<OwnEntry>;
  /** By targeting key: the entry whose question was asked last. */
  readonly byEntity: Map<string, OwnEntry>;
  /** The flag has changed: no entry may be used any more, even if it has not left the store yet. */
  isForgotten: boolean;
}

/** An entry as only the store, its owner, may change it. */
type OwnEntry = { -readonly [Name in keyof Entry]: Entry[Name] };

/** A larger question is answered, but its answer is not kept: it would replace hundreds of others. */
const MAX_KEY_BYTES = 64 * 1024;
/** Entries that leave in about a millisecond. */
const LEAVING_PER_MS = 1_000;
/** A longer answer is not compared with others: that would cost more than it saves. */
const MAX_COMPARED_BYTES = 1_000;

/**
 * Answers by key, bounded in number and bytes; the least recently used go first, to within a second. An entry may be
 * used in the turn of the event loop in which it was found, but not later: it may have left the store.
 */
export class AnswerStore {
  private readonly entries: LRUCache<string, OwnEntry>;
  private readonly flags = new Map<string, FlagAnswers>();
  private readonly equal = new EqualAnswers();
  private readonly strangers: CacheShare;
  /** What is kept of flags that are forgotten. Its entries leave the store in turns that all deletions share. */
  private readonly leaving: FlagAnswers[] = [];
  private isLeaving = false;
  private readonly pause: () => Promise<void> | undefined;

  constructor(
    private readonly settings: StoreSettings,
    clock: Turns,
  ) {
    const { maxEntries, maxBytes } = settings;
    const dispose = (entry: OwnEntry) => {
      this.left(entry);
    };
    this.entries = new LRUCache({ max: maxEntries, maxSize: maxBytes, dispose });
    this.strangers = new CacheShare(settings, (key) => this.entries.delete(key));
    this.pause = pausing(LEAVING_PER_MS, clock);
  }

  /** Finds an entry without counting that as a use. */
  peek(key: string): Entry | undefined {
    return valid(this.entries.peek(key));
  }

  get(key: string): Entry | undefined {
    this.strangers.use(key);
    return valid(this.entries.get(key));
  }

  /** Finds an entry by its question, without counting that as a use. */
  recall(flag: string, context: GivenContext): Entry | undefined {
    return recalled(this.flags.get(flag), context);
  }

  /** From now on, `recall` finds the entry by this question, unless its key is large. */
  remember(entry: OwnEntry, questionOf: () => RememberedQuestion | undefined): void {
    remember(entry, questionOf);
  }

  /**
   * Counts a hit on an entry that the caller already has. The entry moves at most once a second, which touches less
   * memory.
   */
  use(entry: OwnEntry, now: number): void {
    const second = secondOf(now);
    if (entry.usedIn === second) return;
    entry.usedIn = second;
    this.strangers.use(entry.key);
    this.entries.get(entry.key);
  }

  set(key: string, flag: string, answer: KnownAnswer, arrival: Arrival): void {
    const { at, untilChange = false, isExtended = false } = arrival;
    if (Buffer.byteLength(key) > MAX_KEY_BYTES) return;
    const ownBytes = answerBytes(answer);
    const size = entryBytes(key, flag) + ownBytes;
    // If the new answer is too large to keep, the older one must not stay in its place.
    if (size > this.settings.maxBytes || (isExtended && !this.strangers.hasRoomFor(size))) {
      this.entries.delete(key);
      return;
    }
    const requestId = answer.kind === 'missing' ? undefined : answer.requestId || undefined;
    const known = answer.kind === 'missing' ? answer : { ...answer, requestId: '' };
    const ofFlag = this.flags.get(flag) ?? { entries: new Set(), byEntity: new Map(), isForgotten: false };
    // Each member by name: a spread would take twice the memory.
    const entry: OwnEntry = {
      key: flat(key),
      flag,
      answer: ownBytes > MAX_COMPARED_BYTES ? known : this.equal.same(known),
      requestId,
      untilChange,
      at,
      unconfirmed: false,
      usedIn: secondOf(at),
      ofFlag,
      question: undefined,
    };
    // First, so that the oldest of its kind leaves, and no other entry.
    if (isExtended) this.strangers.add(entry.key, entry, size);
    this.entries.set(entry.key, entry, { size });
    // Only now, because the flag's last entry may just have left.
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

  /** Their answers are not found any more. They leave the store now or, if many, in the next turns of the event loop. */
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

  /** Deletes the answers of all flags. */
  clear(): void {
    this.deleteFlags([...this.flags.keys()]);
  }

  some(test: (entry: Entry) => boolean): boolean {
    for (const entry of this.entries.values()) if (!entry.ofFlag.isForgotten && test(entry)) return true;
    return false;
  }

  /** How many entries there are, and their bytes as `maxBytes` counts them. */
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

  /** Called whenever an entry leaves: replaced, dropped or deleted. */
  private left(entry: OwnEntry): void {
    const { key, flag, ofFlag } = entry;
    unremember(entry);
    this.strangers.remove(key, entry);
    ofFlag.entries.delete(entry);
    if (ofFlag.entries.size === 0 && this.flags.get(flag) === ofFlag) this.flags.delete(flag);
  }
}

function valid(entry: Entry | undefined): Entry | undefined {
  return entry?.ofFlag.isForgotten ? undefined : entry;
}

function recalled(ofFlag: FlagAnswers | undefined, context: GivenContext): Entry | undefined {
  const entity = context.targetingKey;
  if (typeof entity !== 'string') return undefined;
  const entry = ofFlag?.byEntity.get(entity);
  return entry?.question && isAskedAgain(entry.question, context) ? entry : undefined;
}

function remember(entry: OwnEntry, questionOf: () => RememberedQuestion | undefined): void {
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

function unremember(entry: OwnEntry): void {
  const { question, ofFlag } = entry;
  if (question !== undefined) ofFlag.byEntity.delete(question.entity);
  entry.question = undefined;
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Most answers with which a new one is compared. */
const MAX_ANSWERS = 1_000;

/**
 * Makes equal answers one object, because a namespace has many users but few different answers. A cached resolve spends
 * most of its time waiting for memory, and an object of many users was probably read a moment ago for another one.
 */
export class EqualAnswers {
  private readonly known = new Map<string, KnownAnswer>();

  /** The first of the answers that equal this one. */
  same(answer: KnownAnswer): KnownAnswer {
    const text = JSON.stringify(answer);
    const same = this.known.get(text);
    if (same !== undefined) return same;
    // This happens so rarely that it starts again from nothing: the next refresh of each answer adds it again.
    if (this.known.size >= MAX_ANSWERS) this.known.clear();
    this.known.set(text, answer);
    return answer;
  }
}
