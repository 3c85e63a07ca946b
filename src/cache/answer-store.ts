import { LRUCache } from 'lru-cache';
import type { KnownAnswer } from '../model/answer.js';
import { flat } from './key.js';
import { sharedAnswers } from './shared-answers.js';

export interface StoreSettings {
  readonly maxEntries: number;
  readonly maxBytes: number;
}

export interface Entry {
  readonly key: string;
  readonly flag: string;
  /**
   * Without its request's id, which differs where all else is the same. `undefined` once the entry has left the store:
   * what still holds it can neither use the answer nor keep it in memory.
   */
  readonly answer: KnownAnswer | undefined;
  /** `undefined` where the request had none. */
  readonly requestId: string | undefined;
  /** The snapshot gives the same answer, so that it holds until the flag changes. */
  readonly untilChange: boolean;
  /** The clock's milliseconds when it came. */
  readonly at: number;
  /** Its last refresh has failed. */
  readonly unconfirmed: boolean;
  /** The second of the clock in which a hit last made it the most recently used one. */
  readonly usedIn: number;
}

/** As the store sees it, which alone changes it. */
type OwnEntry = { -readonly [Name in keyof Entry]: Entry[Name] };

/** `bytes` as `maxBytes` counts them. */
export interface CacheSize {
  readonly entries: number;
  readonly bytes: number;
}

/** Answers by key, bounded in number and bytes; the least recently used go first, to within a second. */
export interface AnswerStore {
  /** Looking is not using. */
  readonly peek: (key: string) => Entry | undefined;
  readonly get: (key: string) => Entry | undefined;
  /** A hit on an entry that is at hand. Its place changes at most once a second, to touch less memory. */
  readonly use: (entry: Entry, now: number) => void;
  readonly set: (key: string, flag: string, answer: KnownAnswer, at: number, untilChange?: boolean) => void;
  readonly markUnconfirmed: (key: string) => void;
  readonly delete: (key: string) => void;
  readonly deleteFlags: (flags: ReadonlySet<string>) => void;
  readonly some: (test: (entry: Entry) => boolean) => boolean;
  readonly size: () => CacheSize;
  readonly clear: () => void;
}

/** A larger question is answered but not kept: it would drive out hundreds of others. */
const MAX_KEY_BYTES = 64 * 1024;
/** What an entry takes besides the text in it: objects and the map's own. Measured, see bench/. */
const ENTRY_BYTES = 400;
/** A longer answer is kept as it is: comparing it would cost more than it saves. */
const MAX_SHARED_BYTES = 1_000;
/** What a segment key takes besides its text: a string and its place in the list. Measured. */
const SEGMENT_KEY_BYTES = 40;

export function answerStore({ maxEntries, maxBytes }: StoreSettings): AnswerStore {
  const entries = new LRUCache<string, OwnEntry>({
    max: maxEntries,
    maxSize: maxBytes,
    // Called however an entry leaves: replaced, driven out, deleted or cleared.
    dispose(entry) {
      entry.answer = undefined;
    },
  });
  const shared = sharedAnswers();
  return {
    peek: (key) => entries.peek(key),
    get: (key) => entries.get(key),
    use(entry: OwnEntry, now) {
      const second = secondOf(now);
      if (entry.usedIn === second) return;
      entry.usedIn = second;
      entries.get(entry.key);
    },
    set(key, flag, answer, at, untilChange = false) {
      const keyBytes = Buffer.byteLength(key);
      if (keyBytes > MAX_KEY_BYTES) return;
      const ownBytes = answerBytes(answer);
      const size = keyBytes + Buffer.byteLength(flag) + ownBytes + ENTRY_BYTES;
      // An answer too large to keep must not leave an older one in its place.
      if (size > maxBytes) {
        entries.delete(key);
        return;
      }
      const kept = withoutRequestId(answer);
      const same = ownBytes > MAX_SHARED_BYTES ? kept.answer : shared(kept.answer);
      const entry: OwnEntry = {
        key: flat(key),
        flag,
        ...kept,
        answer: same,
        untilChange,
        at,
        unconfirmed: false,
        usedIn: secondOf(at),
      };
      entries.set(entry.key, entry, { size });
    },
    markUnconfirmed(key) {
      const entry = entries.peek(key);
      if (entry !== undefined) entry.unconfirmed = true;
    },
    delete: (key) => entries.delete(key),
    deleteFlags(flags) {
      for (const [key, { flag }] of entries.entries()) if (flags.has(flag)) entries.delete(key);
    },
    some(test) {
      for (const entry of entries.values()) if (test(entry)) return true;
      return false;
    },
    size: () => ({ entries: entries.size, bytes: entries.calculatedSize }),
    clear() {
      entries.clear();
    },
  };
}

function secondOf(ms: number): number {
  return Math.floor(ms / 1000);
}

function withoutRequestId(answer: KnownAnswer): {
  readonly answer: KnownAnswer;
  readonly requestId: string | undefined;
} {
  return answer.kind === 'missing'
    ? { answer, requestId: undefined }
    : { answer: { ...answer, requestId: '' }, requestId: answer.requestId || undefined };
}

function answerBytes(answer: KnownAnswer): number {
  if (answer.kind === 'missing') return 0;
  const segmentKeys = answer.segmentKeys ?? [];
  const texts = [answer.requestId, ...segmentKeys];
  if (answer.kind === 'variant') texts.push(answer.variant, answer.attachment);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes + segmentKeys.length * SEGMENT_KEY_BYTES;
}
