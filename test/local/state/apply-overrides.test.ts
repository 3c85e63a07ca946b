import { afterEach, expect, it, vi } from 'vitest';
import { readFeatures } from '../../../src/features/read-features.js';
import { applyOverrides } from '../../../src/local/state/apply-overrides.js';
import { fixedStamp } from '../requests.fixture.js';

afterEach(() => {
  vi.restoreAllMocks();
});

it('gives each entity a segment whose key is free, without looking from the start for each', async () => {
  const features = {
    flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true } as const],
    segments: [{ key: 'override-2' }],
  };
  const namespace = (await readFeatures(features, 'v1', fixedStamp())).get('default');
  if (namespace === undefined) throw new Error('the features have no namespace');
  const overrides = Array.from({ length: 1_000 }, (_, at) => ({
    flagKey: 'on',
    entity: `user-${at}`,
    value: false,
  }));
  const looked = vi.spyOn(Map.prototype, 'has');
  const { segments } = applyOverrides(namespace, overrides, fixedStamp());
  const looks = looked.mock.calls.length;
  const keys = [...segments.keys()];
  expect(keys.slice(0, 4)).toEqual(['override-2', 'override', 'override-3', 'override-4']);
  expect(keys).toHaveLength(1_001);
  expect(looks).toBeLessThan(2_000);
});
