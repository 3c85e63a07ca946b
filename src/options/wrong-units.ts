import type { ProviderSettings } from './settings.js';

/**
 * If an option has a value up to this size, the provider uses the value as given, but the user probably meant a larger
 * unit.
 */
const MOST_MS = 100;
const MOST_BYTES = 1_024;

/**
 * Returns one message that asks, for all options with suspiciously small values, whether the user meant seconds or MB.
 * Returns `undefined` if no option has a suspiciously small value.
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
 * Returns the question about the unit of one option, or `undefined` if the value is not suspiciously small. The value 0
 * raises no question, because 0 switches something off.
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
