/** So many may be busy at once. The others wait, and begin in the order of their arrival. */
export function slots(most: () => number) {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const fill = () => {
    while (taken < most() && waiting.length > 0) {
      taken++;
      waiting.shift()?.();
    }
  };
  return {
    /** Whether the next one has to wait. */
    isFull: () => taken >= most(),
    /** How many wait. */
    waiting: () => waiting.length,
    /** Resolves when there is a slot, with the function that leaves it. Its second call does nothing. */
    async take() {
      const begun = new Promise<void>((begin) => waiting.push(begin));
      fill();
      await begun;
      let isLeft = false;
      return () => {
        if (isLeft) return;
        isLeft = true;
        taken--;
        fill();
      };
    },
  };
}
