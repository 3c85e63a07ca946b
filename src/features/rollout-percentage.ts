/** A percentage as Flipt keeps it, in single precision: the shortest decimal that stands for the same single. */
export function rolloutPercentage(percentage: number): number {
  const single = Math.fround(percentage);
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return shorter;
  }
  return Number(single.toPrecision(9));
}
