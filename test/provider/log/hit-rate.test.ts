import { expect, it, vi } from 'vitest';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import { logHitRate } from '../../../src/provider/log.js';
import { recordingLogger } from '../open.fixture.js';

function looking(hits: number, misses: number, flagOf: (at: number) => string) {
  const { listen, report } = openDiagnostics();
  const logger = recordingLogger();
  logHitRate(listen, { logger });
  for (let at = 0; at < misses; at++) report({ type: 'miss', flag: flagOf(at) });
  for (let at = 0; at < hits; at++) report({ type: 'hit' });
  return logger.warn.mock.calls.length;
}

it.each([
  [0, 5_000, 1],
  [49, 952, 1],
  [50, 951, 0],
])('%s hits beside %s misses of one flag give %s warnings', (hits, misses, warnings) => {
  expect(looking(hits, misses, () => 'a')).toBe(warnings);
});

it('the first look-up of each flag finds nothing, and counts for nothing', () => {
  expect(looking(0, 2_000, (at) => `flag-${at}`)).toBe(0);
});

it('the hits are no longer heard after the first thousand look-ups', () => {
  const { listen, report, hears } = openDiagnostics();
  logHitRate(listen, { logger: { ...recordingLogger(), warn: vi.fn() } });
  for (let at = 0; at < 1_000; at++) report({ type: 'hit' });
  expect(hears('hit')).toBe(false);
});
