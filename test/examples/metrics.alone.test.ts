import { expect, it } from 'vitest';
import { node } from './running.fixture.js';

const ALERTS = [
  'FlagsNotServed',
  'FliptCredentialsRejected',
  'FliptLostItsFlags',
  'FlagsStale',
  'FliptUnreachable',
  'FliptOverloaded',
];

it('shows by metrics an outage, lost flags, rejected credentials, and the end of each, and ends by itself', async () => {
  const { code, output } = await node(['examples/metrics/main.js']).ended;
  expect(code, output).toBe(0);
  const alerts = [...output.matchAll(/^ {2}(FIRING|quiet ) {2}(\w+)$/gm)].map(([, state = '']) =>
    state.trim(),
  );
  const firing = (...names: readonly string[]) =>
    ALERTS.map((name) => (names.includes(name) ? 'FIRING' : 'quiet'));
  expect(alerts).toEqual([
    ...firing(),
    ...firing('FlagsStale', 'FliptUnreachable'),
    ...firing(),
    ...firing('FliptLostItsFlags', 'FlagsStale'),
    ...firing(),
    ...firing('FliptCredentialsRejected', 'FlagsStale'),
    ...firing(),
  ]);
  expect(output).toContain('openfeature_flipt_cache_lookups_total{openfeature_flipt_result="hit"} 40');
  expect(output).toContain('openfeature_flipt_source="in-process",openfeature_flipt_outcome="stale"');
  expect(output).toContain('getStatus(): ready');
});
