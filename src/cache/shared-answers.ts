import type { KnownAnswer } from '../model/answer.js';

const MAX_ANSWERS = 1_000;

/**
 * Makes equal answers one object: a namespace has many users but few different answers. A cached resolve spends most of
 * its time waiting for memory, and a shared object was probably read a moment ago for another user.
 */
export function sharedAnswers(): (answer: KnownAnswer) => KnownAnswer {
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
