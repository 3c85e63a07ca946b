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
   * Without the id of its request, which differs even if all else is equal. `undefined` after the entry has left the
   * store, so that code which still holds the entry neither uses the answer nor keeps it in memory.
   */
  readonly answer: KnownAnswer | undefined;
  /** `undefined` if the request had no id. */
  readonly requestId: string | undefined;
  /** The snapshot gives the same answer, so this one holds until the flag changes. */
  readonly untilChange: boolean;
  /** When the answer came, in the clock's milliseconds. */
  readonly at: number;
  /** The last refresh of the answer failed. */
  readonly unconfirmed: boolean;
  /** When a hit last made this the most recently used entry, in whole seconds of the clock. */
  readonly usedIn: number;
}

/** An entry as only the store, its owner, may change it. */
type OwnEntry = { -readonly [Name in keyof Entry]: Entry[Name] };

/** `bytes` as `maxBytes` counts them. */
export interface CacheSize {
  readonly entries: number;
  readonly bytes: number;
}

/** Answers by key, bounded in number and bytes; the least recently used go first, to within a second. */
export interface AnswerStore {
  /** Finds an entry without counting that as a use. */
  readonly peek: (key: string) => Entry | undefined;
  readonly get: (key: string) => Entry | undefined;
  /**
   * Counts a hit on an entry that the caller already has. The entry moves at most once a second, which touches less
   * memory.
   */
  readonly use: (entry: Entry, now: number) => void;
  readonly set: (key: string, flag: string, answer: KnownAnswer, at: number, untilChange?: boolean) => void;
  readonly markUnconfirmed: (key: string) => void;
  readonly delete: (key: string) => void;
  readonly deleteFlags: (flags: ReadonlySet<string>) => void;
  readonly some: (test: (entry: Entry) => boolean) => boolean;
  readonly size: () => CacheSize;
  readonly clear: () => void;
}

/** A larger question is answered, but its answer is not kept: it would replace hundreds of others. */
const MAX_KEY_BYTES = 64 * 1024;
/** Bytes of an entry besides its text: its objects and the map's own. Measured, see bench/. */
const ENTRY_BYTES = 400;
/** A longer answer is not compared with others: that would cost more than it saves. */
const MAX_SHARED_BYTES = 1_000;
/** Bytes of a segment key besides its text: a string and its place in the list. Measured. */
const SEGMENT_KEY_BYTES = 40;

export function answerStore({ maxEntries, maxBytes }: StoreSettings): AnswerStore {
  const entries = new LRUCache<string, OwnEntry>({
    max: maxEntries,
    maxSize: maxBytes,
    // Called whenever an entry leaves: replaced, dropped, deleted or cleared.
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
      // If the new answer is too large to keep, the older one must not stay in its place.
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
