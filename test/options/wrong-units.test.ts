import { expect, it } from 'vitest';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { unitWarnings } from '../../src/options/wrong-units.js';
import { recordingLogger } from '../provider/open.fixture.js';
import { settled } from './settled.fixture.js';

it.each<[FliptProviderOptions, string | undefined]>([
  [{}, undefined],
  [{ cache: false, watch: false, batch: false }, undefined],
  [{ watch: { pollMs: 1 } }, 'These values are used as given: watch.pollMs is 1 ms: were seconds meant?'],
  [{ watch: { pollMs: 100 } }, 'These values are used as given: watch.pollMs is 100 ms: were seconds meant?'],
  [{ watch: { pollMs: 101 }, cache: { freshForMs: 0 } }, undefined],
  [
    { cache: { freshForMs: 15 } },
    'These values are used as given: cache.freshForMs is 15 ms: were seconds meant?',
  ],
  [
    { initTimeoutMs: 5, deadlineMs: 1 },
    'These values are used as given: initTimeoutMs is 5 ms: were seconds meant? deadlineMs is 1 ms: were seconds meant?',
  ],
  [
    { http: { timeoutMs: 10 } },
    'These values are used as given: http.timeoutMs is 10 ms: were seconds meant?',
  ],
  [{ evaluation: 'in-process', deadlineMs: 1 }, undefined],
  [{ initTimeoutMs: 11, deadlineMs: 11, http: { timeoutMs: 11 } }, undefined],
  [
    { cache: { maxBytes: 1_024 } },
    'These values are used as given: cache.maxBytes is 1024 bytes: were MB meant?',
  ],
  [{ batch: { maxBytes: 1 } }, 'These values are used as given: batch.maxBytes is 1 bytes: were MB meant?'],
  [{ cache: { maxBytes: 1_025 }, batch: { maxBytes: 1_025 } }, undefined],
  [
    { watch: { pollMs: 30 }, cache: { freshForMs: 15, maxBytes: 64 } },
    'These values are used as given: watch.pollMs is 30 ms: were seconds meant? cache.freshForMs is 15 ms: were seconds meant? ' +
      'cache.maxBytes is 64 bytes: were MB meant?',
  ],
])('sizes of %j: %s', async (options, warning) => {
  expect(unitWarnings(settled(options))).toBe(warning);
  const logger = recordingLogger();
  const provider = new FliptProvider({ ...options, logger });
  expect(logger.warn.mock.calls).toEqual(warning === undefined ? [] : [[warning]]);
  await provider.onClose();
});
