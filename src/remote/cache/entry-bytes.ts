import type { KnownAnswer } from '../../model/answer.js';

/*
 * These functions say what `cache.maxBytes` counts: texts by their bytes, and the objects around them by what they were
 * measured to take.
 */

/** An entry takes this beside its texts: its objects, and its places in the maps. */
const ENTRY_BYTES = 400;
/** A remembered question takes this beside its texts. */
const QUESTION_BYTES = 200;
/** The question of a longer key is not remembered, because the texts of its context would take as much memory again. */
const LONGEST_REMEMBERED_KEY = 2 * 1024;
/** A segment key takes this beside its text: a string and its place in the list. */
const SEGMENT_KEY_BYTES = 40;

/**
 * Returns the bytes of an entry without its answer. It counts the question by which the entry may be found, whose texts
 * are about as long as the key.
 */
export function entryBytes(key: string, flag: string): number {
  const keyBytes = Buffer.byteLength(key);
  const questionBytes = mayBeRemembered(key) ? QUESTION_BYTES + keyBytes : 0;
  return keyBytes + Buffer.byteLength(flag) + ENTRY_BYTES + questionBytes;
}

/** Whether the entry of this key may also be found by its question's context. */
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
