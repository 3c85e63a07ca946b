import type { KnownAnswer } from '../../model/answer.js';

/*
 * The functions of this file compute the bytes that `cache.maxBytes` limits. A text counts with its bytes in UTF-8.
 * Objects count with the memory that they took in measurements.
 */

/** The bytes that a cache entry takes in addition to its texts, for its objects and for its places in maps. */
const ENTRY_BYTES = 400;
/** The bytes that a remembered context takes in addition to its texts. */
const QUESTION_BYTES = 200;
/**
 * If a cache key has more characters than this, the store does not remember the context of its question, because the
 * texts of the context would take as much memory as the key.
 */
const LONGEST_REMEMBERED_KEY = 2 * 1024;
/** The bytes that a segment key takes in addition to its text, for the string and for its place in a list. */
const SEGMENT_KEY_BYTES = 40;

/**
 * Returns the bytes of a cache entry without its answer. If the store is allowed to remember the context, the result
 * includes the context, whose texts are about as long as the key.
 */
export function entryBytes(key: string, flag: string): number {
  const keyBytes = Buffer.byteLength(key);
  const questionBytes = mayBeRemembered(key) ? QUESTION_BYTES + keyBytes : 0;
  return keyBytes + Buffer.byteLength(flag) + ENTRY_BYTES + questionBytes;
}

/** Returns `true` if this cache key is short enough for the store to remember the context of its question. */
export function mayBeRemembered(key: string): boolean {
  return key.length <= LONGEST_REMEMBERED_KEY;
}

export function answerBytes(answer: KnownAnswer): number {
  if (answer.kind === 'missing') return 0;
  const segmentKeys = answer.segmentKeys ?? [];
  const texts = [answer.requestId, ...segmentKeys];
  if (answer.kind === 'variant') texts.push(answer.variant, answer.attachment);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes + segmentKeys.length * SEGMENT_KEY_BYTES;
}
