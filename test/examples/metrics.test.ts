import { expect, it } from 'vitest';
import { node } from './running.fixture.js';

it('shows by metrics when all is well, an outage, and its end, and ends by itself', async () => {
  const { code, output } = await node(['examples/metrics/main.js']).ended;
  expect(code, output).toBe(0);
  const alerts = [...output.matchAll(/^ {2}(FIRING|quiet ) {2}(\w+)$/gm)].map(([, state = '']) =>
    state.trim(),
  );
  const quiet = ['quiet', 'quiet', 'quiet', 'quiet'];
  expect(alerts).toEqual([...quiet, 'quiet', 'FIRING', 'FIRING', 'quiet', ...quiet]);
  expect(output).toContain('openfeature_flipt_cache_lookups_total{openfeature_flipt_result="hit"} 40');
  expect(output).toContain('openfeature_flipt_source="in-process",openfeature_flipt_outcome="stale"');
  expect(output).toContain('getStatus(): ready');
});
