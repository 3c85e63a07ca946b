import type { PendingQuestion } from './pending-question.js';

/** Puts questions about the same flag next to each other, and otherwise keeps their order. */
export function byFlag(asked: readonly PendingQuestion[]): readonly PendingQuestion[] {
  const flags = new Map<string, PendingQuestion[]>();
  for (const one of asked) {
    const some = flags.get(one.question.flag);
    if (some === undefined) flags.set(one.question.flag, [one]);
    else some.push(one);
  }
  return [...flags.values()].flat();
}

export function isAboutOneFlag(asked: readonly PendingQuestion[]): boolean {
  return asked.every(({ question }) => question.flag === asked[0]?.question.flag);
}

/**
 * Cuts a batch into at most `count` parts of about the same size, each with at least one question.
 * It cuts between two flags wherever it can: in two parts, a broken flag would look like a broken service.
 */
export function partsOf(
  sorted: readonly PendingQuestion[],
  count: number,
): readonly (readonly PendingQuestion[])[] {
  const cuts = cutsOf(sorted, Math.min(count, sorted.length));
  const starts = [0, ...cuts];
  return starts.map((start, at) => sorted.slice(start, starts[at + 1]));
}

function cutsOf(sorted: readonly PendingQuestion[], count: number): readonly number[] {
  const wished = Array.from({ length: count - 1 }, (_, at) => Math.ceil(((at + 1) * sorted.length) / count));
  if (isAboutOneFlag(sorted)) return wished;
  const borders = sorted.flatMap((_, at) => (isBorder(sorted, at) ? [at] : []));
  const nearest = wished.map((cut) =>
    borders.reduce((best, border) => (Math.abs(border - cut) < Math.abs(best - cut) ? border : best)),
  );
  return [...new Set(nearest)];
}

function isBorder(sorted: readonly PendingQuestion[], at: number): boolean {
  return at > 0 && sorted[at - 1]?.question.flag !== sorted[at]?.question.flag;
}
