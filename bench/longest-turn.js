let last = 0;
let cpu = process.cpuUsage();
let longest = 0;
let isWatching = false;
function turn() {
  const now = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  // While other processes use the processor, a turn takes longer than its work.
  longest = Math.max(longest, Math.min(now - last, (user + system) / 1000));
  cpu = process.cpuUsage();
  last = now;
  if (isWatching) setImmediate(turn);
}

/** How long the longest turn of the event loop took during `work`, in milliseconds. */
export async function longestTurn(work) {
  // The garbage of earlier work must not count.
  globalThis.gc?.();
  longest = 0;
  last = performance.now();
  cpu = process.cpuUsage();
  isWatching = true;
  setImmediate(turn);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  isWatching = false;
  return longest;
}
