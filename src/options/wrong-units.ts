import type { ProviderSettings } from './settings.js';

/** If the value of an option is from 1 up to this number, `unitWarnings` asks whether the user meant a larger unit. */
const MOST_MS = 100;
const MOST_BYTES = 1_024;
/**
 * A time limit from 1 to this number of milliseconds is suspicious, because even the first request to a service on the
 * same machine can take longer. In-process, most calls need no request, so that such a `deadlineMs` can make sense.
 */
const MOST_LIMIT_MS = 10;

/**
 * Checks seven options for suspiciously small values. Returns one message that asks whether the user meant seconds or
 * MB, or `undefined` if none of the seven values is suspiciously small.
 */
export function unitWarnings(
  settings: Pick<
    ProviderSettings,
    'batch' | 'cache' | 'deadlineMs' | 'evaluation' | 'http' | 'initTimeoutMs' | 'watch'
  >,
) {
  const { batch, cache, http, initTimeoutMs, watch } = settings;
  const deadlineMs = settings.evaluation === 'remote' ? settings.deadlineMs : undefined;
  const asked = [
    doubtIf('initTimeoutMs', initTimeoutMs, MOST_LIMIT_MS, 'ms: were seconds meant'),
    doubtIf('deadlineMs', deadlineMs, MOST_LIMIT_MS, 'ms: were seconds meant'),
    doubtIf('http.timeoutMs', http.timeoutMs, MOST_LIMIT_MS, 'ms: were seconds meant'),
    doubtIf('watch.pollMs', watch?.pollMs, MOST_MS, 'ms: were seconds meant'),
    doubtIf('cache.freshForMs', cache?.freshForMs, MOST_MS, 'ms: were seconds meant'),
    doubtIf('cache.maxBytes', cache?.maxBytes, MOST_BYTES, 'bytes: were MB meant'),
    doubtIf('batch.maxBytes', batch.maxBytes, MOST_BYTES, 'bytes: were MB meant'),
  ];
  const doubts = asked.filter((doubt) => doubt !== undefined);
  return doubts.length === 0 ? undefined : `These values are used as given: ${doubts.join(' ')}`;
}

/**
 * Returns the question about the unit of one option, or `undefined` if the value is not suspiciously small. A value
 * below 1 raises no question: `cache.freshForMs` can be 0, and 0 ms are the same as 0 seconds.
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
