import { describe, expect, it } from 'vitest';
import { manualClock } from '../../clock.fixture.js';
import { savedText, savingStore } from '../../snapshot/saved-text.fixture.js';
import { fickleFlipt, fickleLife } from './fickle.fixture.js';

const TEXT = savedText(
  { flags: [{ key: 'a', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
  { etag: 'one', confirmedAt: Date.UTC(2024, 0, 1) - 1_000 },
  { url: 'http://flipt.test', namespace: 'default', environment: undefined },
);

describe.each(['remote', 'in-process'] as const)('%s, an instance whose store answers late', (evaluation) => {
  it.each(['without-snapshots', 'page', 'refusing', 'failing', 'unknown'] as const)(
    'answers from the saved snapshot if Flipt was %s at the start',
    async (state) => {
      const flipt = fickleFlipt();
      flipt.state = state;
      const clock = manualClock();
      const load = () =>
        new Promise<string>((resolve) => {
          clock.after(400, () => {
            resolve(TEXT);
          });
        });
      const options = { evaluation, snapshot: { store: { ...savingStore().store, load } } };
      const early = { afterMs: 500, call: () => undefined };
      const life = await fickleLife(flipt, options, clock, undefined, early);
      await clock.advance(60_000);
      expect(life.condition()).toBe(state === 'without-snapshots' ? 'ready' : 'stale');
      flipt.state = 'down';
      expect(await life.passes(60_000, 1_000, ['a'])).toEqual(['STALE on']);
      flipt.state = 'good';
      await clock.advance(60_000);
      expect(life.condition()).toBe('ready');
      expect(await life.resolve('a')).toBe('on');
    },
  );
});
