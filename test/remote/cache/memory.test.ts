import { expect, it } from 'vitest';
import type { GivenContext } from '../../../src/remote/cache/recall.js';
import { CachedAnswers } from '../../../src/remote/cache/cached-answers.js';
import { providerSettings } from '../../../src/options/settings.js';
import { remotely } from '../../../src/provider/evaluate/resolve-remotely.js';
import { systemClock } from '../../../src/base/time/clock.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { heapInUse } from '../../garbage.fixture.js';
import { booleanAnswer } from '../../provider/mapping/answers.fixture.js';

const USERS = 5_000;
/** What code and empty tables may take, which differs from run to run. 5,000 entries take twice as much. */
const WITHOUT_ENTRIES = 1.8 * 1024 * 1024;

/** Resolves one flag twice for each user, so that the second resolve remembers the question. */
async function setUp(contextOf: (user: number) => GivenContext) {
  const before = heapInUse();
  const settings = providerSettings({ cache: { maxEntries: 10_000, maxBytes: 16 * 1024 * 1024 } }, {});
  const layer = new CachedAnswers(
    async () => Promise.resolve(booleanAnswer()),
    { cache: settings.cache, deadlineMs: 200, refusal: () => undefined },
    runtimeOf(systemClock),
  );
  const ask = remotely(layer, settings, systemClock);
  for (let user = 0; user < USERS; user++) {
    for (let time = 0; time < 2; time++) await ask('flag', Object.freeze(contextOf(user)), undefined);
  }
  return { layer, heap: () => heapInUse() - before };
}

/** A part of a larger text, as an app gets it from a header or a body. */
const partOf = (size: number, text: string) => `${text}${'x'.repeat(size)}`.slice(0, text.length);

it.each<[string, (user: number) => GivenContext]>([
  ['small contexts', (user) => ({ targetingKey: `user-${user}`, plan: 'pro', age: user, beta: true })],
  [
    'contexts of 1 kB',
    (user) => ({ targetingKey: `user-${user}`, text: `${user}${'x'.repeat(1_000)}`, age: user / 3 }),
  ],
  ['contexts of 20 kB', (user) => ({ targetingKey: `user-${user}`, text: `${user}${'x'.repeat(20_000)}` })],
  [
    'small parts of large texts',
    (user) => ({
      targetingKey: partOf(10_000, `user-number-${user}`),
      agent: partOf(10_000, `an agent's name ${user}`),
    }),
  ],
])('the cache takes no more memory than it says, for users with %s', async (_, contextOf) => {
  const { layer, heap } = await setUp(contextOf);
  expect(layer.size().entries).toBeGreaterThan(500);
  expect(heap()).toBeLessThan(1.1 * layer.size().bytes + 512 * 1024);

  layer.forget();
  while (layer.size().entries > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(heap()).toBeLessThan(WITHOUT_ENTRIES);
  expect(layer.size().bytes).toBe(0);
});

it('what leads to an answer goes with the answer of a changed flag', async () => {
  const { layer, heap } = await setUp((user) => ({
    targetingKey: `user-${user}`,
    text: `${user}${'x'.repeat(1_000)}`,
  }));
  layer.forget(['flag']);
  while (layer.size().entries > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(heap()).toBeLessThan(WITHOUT_ENTRIES);
});
