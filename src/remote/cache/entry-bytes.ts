import type { KnownAnswer } from '../../model/answer.js';

/*
 * These functions compute what `cache.maxBytes` counts. A text counts as its bytes, and the objects around the texts
 * count as the memory that they took in measurements.
 */

/** An entry takes these bytes in addition to its texts, for its objects and for its places in the maps. */
const ENTRY_BYTES = 400;
/** A remembered question takes these bytes in addition to its texts. */
const QUESTION_BYTES = 200;
/**
 * If an entry's key is longer than this, the entry's question is not remembered, because the texts of the question's
 * context would take as much memory as the key.
 */
const LONGEST_REMEMBERED_KEY = 2 * 1024;
/** A segment key takes these bytes in addition to its text, for the string and for its place in the list. */
const SEGMENT_KEY_BYTES = 40;

/**
 * Returns the bytes of an entry, not counting the entry's answer. The result includes the remembered question, whose
 * texts are about as long as the key.
 */
export function entryBytes(key: string, flag: string): number {
  const keyBytes = Buffer.byteLength(key);
  const questionBytes = mayBeRemembered(key) ? QUESTION_BYTES + keyBytes : 0;
  return keyBytes + Buffer.byteLength(flag) + ENTRY_BYTES + questionBytes;
}

/** Returns whether the entry of this key can also be found by the context of its question. */
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
