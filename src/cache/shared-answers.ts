import type { KnownAnswer } from '../model/answer.js';

const MAX_ANSWERS = 1_000;

/**
 * Users are many, and the answers of a namespace few: equal answers become one object. A cached resolve waits for memory
 * more than for anything else, and this object has been read just before, for another user.
 */
export function sharedAnswers(): (answer: KnownAnswer) => KnownAnswer {
  const known = new Map<string, KnownAnswer>();
  return (answer) => {
    const text = JSON.stringify(answer);
    const same = known.get(text);
    if (same !== undefined) return same;
    // Rare enough to begin again: what is in use comes back with the next refresh.
    if (known.size >= MAX_ANSWERS) known.clear();
    known.set(text, answer);
    return answer;
  };
}
