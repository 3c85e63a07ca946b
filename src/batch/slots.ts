/** So many may be busy at once. The others wait, and begin in the order of their arrival. */
export function slots(most: number) {
  let taken = 0;
  const waiting: (() => void)[] = [];
  return {
    /** Whether the next one has to wait. */
    isFull: () => taken >= most,
    /** How many wait. */
    waiting: () => waiting.length,
    /** Resolves when there is a slot. */
    async take() {
      if (++taken > most) await new Promise<void>((begin) => waiting.push(begin));
    },
    leave() {
      taken--;
      waiting.shift()?.();
    },
    /** Everyone who waits begins now. */
    beginAll: () => {
      for (const begin of waiting.splice(0)) begin();
    },
  };
}
