import type { ProviderSettings } from './settings.js';

/** A number of at most this size is used as it was given, but the user probably meant a larger unit. */
const MOST_MS = 100;
const MOST_BYTES = 1_024;

/**
 * Returns a message that asks whether seconds or MB were meant, for all doubtful options together. The result is
 * `undefined` if no option is doubtful.
 */
export function unitWarnings(settings: Pick<ProviderSettings, 'batch' | 'cache' | 'watch'>) {
  const { batch, cache, watch } = settings;
  const asked = [
    doubtIf('watch.pollMs', watch?.pollMs, MOST_MS, 'ms: were seconds meant'),
    doubtIf('cache.freshForMs', cache?.freshForMs, MOST_MS, 'ms: were seconds meant'),
    doubtIf('cache.maxBytes', cache?.maxBytes, MOST_BYTES, 'bytes: were MB meant'),
    doubtIf('batch.maxBytes', batch.maxBytes, MOST_BYTES, 'bytes: were MB meant'),
  ];
  const doubts = asked.filter((doubt) => doubt !== undefined);
  return doubts.length === 0 ? undefined : `These values are used as given: ${doubts.join(' ')}`;
}

/**
 * Returns the question about the unit of one option, or `undefined` if its value is not doubtful. The value 0 is not
 * doubtful, because it switches something off.
 */
function doubtIf(
  option: string,
  given: number | undefined,
  doubtfulUpTo: number,
  words: string,
): string | undefined {
  return given === undefined || given < 1 || given > doubtfulUpTo
    ? undefined
    : `${option} is ${given} ${words}?`;
}
