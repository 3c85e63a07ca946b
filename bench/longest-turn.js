let last = 0;
let longest = 0;
let isWatching = false;
function turn() {
  const now = performance.now();
  longest = Math.max(longest, now - last);
  last = now;
  if (isWatching) setImmediate(turn);
}

/** Milliseconds of the longest turn of the event loop during `work`. */
export async function longestTurn(work) {
  // Garbage of earlier work is not its cost.
  globalThis.gc?.();
  longest = 0;
  last = performance.now();
  isWatching = true;
  setImmediate(turn);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isWatching = false;
  return longest;
}
