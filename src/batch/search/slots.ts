/** So many may be busy at once. The others wait, and begin in the order of their arrival. */
export function slots(most: () => number) {
  /** By the functions that leave them. */
  const taken = new Set<() => void>();
  const waiting: (() => void)[] = [];
  const fill = () => {
    while (taken.size < most() && waiting.length > 0) waiting.shift()?.();
  };
  return {
    /** Whether the next one has to wait. */
    isFull: () => taken.size >= most(),
    /** How many wait. */
    waiting: () => waiting.length,
    /** Resolves when there is a slot, with the function that leaves it. Its second call does nothing. */
    take: () =>
      new Promise<() => void>((begin) => {
        const leave = () => {
          taken.delete(leave);
          fill();
        };
        waiting.push(() => {
          taken.add(leave);
          begin(leave);
        });
        fill();
      }),
  };
}
