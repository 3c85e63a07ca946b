import { LRUCache } from 'lru-cache';
import { pausing, withPauses, type Steps, type Turns } from '../time/pausable-steps.js';
import type { KnownAnswer } from '../model/answer.js';
import { cacheShare, type StoreSettings } from './cache-share.js';
import { answerBytes, entryBytes, mayBeRemembered } from './entry-bytes.js';
import type { Aging } from './freshness.js';
import { flat, isSameQuestion, type GivenContext, type KnownQuestion } from './same-question.js';

/** `untilChange`: default false. */
export interface Arrival extends Pick<Aging, 'at'> {
  readonly untilChange?: boolean | undefined;
  /** A browser has added to the context. Such answers take at most a tenth of the store. Default false. */
  readonly isExtended?: boolean | undefined;
}

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
  readonly question: KnownQuestion | undefined;
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
export function answerStore({ maxEntries, maxBytes }: StoreSettings, clock: Turns) {
  const entries = new LRUCache<string, OwnEntry>({ max: maxEntries, maxSize: maxBytes, dispose: left });
  const flags = new Map<string, FlagAnswers>();
  const leave = leaving((key) => entries.delete(key), clock);
  const sameAs = equalAnswers();
  const strangers = cacheShare({ maxEntries, maxBytes }, (key) => entries.delete(key));

  /** Called whenever an entry leaves: replaced, dropped or deleted. */
  function left(entry: OwnEntry): void {
    const { key, flag, ofFlag } = entry;
    unremember(entry);
    strangers.remove(key, entry);
    ofFlag.entries.delete(entry);
    if (ofFlag.entries.size === 0 && flags.get(flag) === ofFlag) flags.delete(flag);
  }

  const deleteFlags = (named: readonly string[] | ReadonlySet<string>) => {
    const forgotten = [...named].flatMap((flag) => flags.get(flag) ?? []);
    for (const ofFlag of forgotten) ofFlag.isForgotten = true;
    for (const flag of named) flags.delete(flag);
    leave(forgotten);
  };

  const valid = (entry: Entry | undefined) => (entry?.ofFlag.isForgotten ? undefined : entry);

  return {
    /** Finds an entry without counting that as a use. */
    peek: (key: string) => valid(entries.peek(key)),
    get(key: string) {
      strangers.use(key);
      return valid(entries.get(key));
    },
    /** Finds an entry by its question, without counting that as a use. */
    recall: (flag: string, context: GivenContext) => recalled(flags.get(flag), context),
    /** From now on, `recall` finds the entry by this question, unless its key is large. */
    remember,
    /**
     * Counts a hit on an entry that the caller already has. The entry moves at most once a second, which touches less
     * memory.
     */
    use(entry: OwnEntry, now: number) {
      const second = secondOf(now);
      if (entry.usedIn === second) return;
      entry.usedIn = second;
      strangers.use(entry.key);
      entries.get(entry.key);
    },
    set(key: string, flag: string, answer: KnownAnswer, arrival: Arrival) {
      const { at, untilChange = false, isExtended = false } = arrival;
      if (Buffer.byteLength(key) > MAX_KEY_BYTES) return;
      const ownBytes = answerBytes(answer);
      const size = entryBytes(key, flag) + ownBytes;
      // If the new answer is too large to keep, the older one must not stay in its place.
      if (size > maxBytes || (isExtended && !strangers.hasRoomFor(size))) {
        entries.delete(key);
        return;
      }
      const requestId = answer.kind === 'missing' ? undefined : answer.requestId || undefined;
      const known = answer.kind === 'missing' ? answer : { ...answer, requestId: '' };
      const ofFlag = flags.get(flag) ?? { entries: new Set(), byEntity: new Map(), isForgotten: false };
      // Each member by name: a spread would take twice the memory.
      const entry: OwnEntry = {
        key: flat(key),
        flag,
        answer: ownBytes > MAX_COMPARED_BYTES ? known : sameAs(known),
        requestId,
        untilChange,
        at,
        unconfirmed: false,
        usedIn: secondOf(at),
        ofFlag,
        question: undefined,
      };
      // First, so that the oldest of its kind leaves, and no other entry.
      if (isExtended) strangers.add(entry.key, entry, size);
      entries.set(entry.key, entry, { size });
      // Only now, because the flag's last entry may just have left.
      ofFlag.entries.add(entry);
      flags.set(flag, ofFlag);
    },
    markUnconfirmed(key: string) {
      const entry = entries.peek(key);
      if (entry !== undefined) entry.unconfirmed = true;
    },
    delete: (key: string) => entries.delete(key),
    /** Their answers are not found any more. They leave the store now or, if many, in the next turns of the event loop. */
    deleteFlags,
    some(test: (entry: Entry) => boolean) {
      for (const entry of entries.values()) if (!entry.ofFlag.isForgotten && test(entry)) return true;
      return false;
    },
    /** `bytes` as `maxBytes` counts them. */
    size: () => ({ entries: entries.size, bytes: entries.calculatedSize }),
    /** Deletes the answers of all flags. */
    clear() {
      deleteFlags([...flags.keys()]);
    },
  };
}

/** Lets the entries of forgotten flags leave, in turns that all deletions share. */
function leaving(remove: (key: string) => void, clock: Turns) {
  const waiting: FlagAnswers[] = [];
  const pause = pausing(LEAVING_PER_MS, clock);
  let isLeaving = false;
  function* steps(): Steps<void> {
    for (let ofFlag = waiting.pop(); ofFlag !== undefined; ofFlag = waiting.pop()) {
      for (const { key } of ofFlag.entries) {
        remove(key);
        yield;
      }
    }
    isLeaving = false;
  }
  return (flags: readonly FlagAnswers[]) => {
    for (const ofFlag of flags) waiting.push(ofFlag);
    if (isLeaving) return;
    isLeaving = true;
    void withPauses(steps(), pause);
  };
}

export type AnswerStore = ReturnType<typeof answerStore>;

function recalled(ofFlag: FlagAnswers | undefined, context: GivenContext): Entry | undefined {
  const entity = context.targetingKey;
  if (typeof entity !== 'string') return undefined;
  const entry = ofFlag?.byEntity.get(entity);
  return entry?.question && isSameQuestion(entry.question, context) ? entry : undefined;
}

function remember(entry: OwnEntry, questionOf: () => KnownQuestion | undefined): void {
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
 * Makes equal answers one object, because a namespace has many users but few different answers. A cached resolve spends most of
 * its time waiting for memory, and an object of many users was probably read a moment ago for another one.
 */
export function equalAnswers(): (answer: KnownAnswer) => KnownAnswer {
  const known = new Map<string, KnownAnswer>();
  return (answer) => {
    const text = JSON.stringify(answer);
    const same = known.get(text);
    if (same !== undefined) return same;
    // This happens so rarely that it starts again from nothing: the next refresh of each answer adds it again.
    if (known.size >= MAX_ANSWERS) known.clear();
    known.set(text, answer);
    return answer;
  };
}
