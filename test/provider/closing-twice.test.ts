import { expect, it } from 'vitest';
import { eventually } from '../eventually.fixture.js';
import { signal } from '../signal.fixture.js';
import { good } from './changing.fixture.js';
import { serving } from './open.fixture.js';
import { living, withSnapshot } from './status/living.fixture.js';

it('a second close ends with the first, which waits for the store', async () => {
  const saving = signal();
  const server = await serving(good, withSnapshot(['a']));
  let isCalled = false;
  const save = () => {
    isCalled = true;
    return saving.given;
  };
  const store = { load: () => Promise.resolve(undefined), save };
  const { lifecycle, ended, clock } = living({
    url: server.url,
    evaluation: 'in-process',
    snapshot: { store },
  });
  await ended(lifecycle.start());
  await clock.advance(0);
  await eventually(() => {
    expect(isCalled).toBe(true);
  });
  const order: string[] = [];
  const closes = ['first', 'second'].map(async (name) => {
    await lifecycle.close();
    order.push(name);
  });
  await new Promise(setImmediate);
  expect(order).toEqual([]);
  saving.give();
  await ended(Promise.all(closes));
  expect(order).toEqual(['first', 'second']);
});

it('a start after it waits for its save, which must not come after one of the new start', async () => {
  const saving = signal();
  const server = await serving(good, withSnapshot(['a']));
  const loads: number[] = [];
  let saves = 0;
  const store = {
    load: () => Promise.resolve(void loads.push(saves)),
    save: async () => {
      await saving.given;
      saves++;
    },
  };
  const { lifecycle, ended, clock } = living({ url: server.url, snapshot: { store } });
  await ended(lifecycle.start());
  await clock.advance(0);
  const closed = lifecycle.close();
  const startedAgain = lifecycle.start();
  await new Promise(setImmediate);
  saving.give();
  await ended(Promise.all([closed, startedAgain]));
  expect(loads).toEqual([0, 1]);
});

it('a close after it ends at once, and a start between them is closed as well', async () => {
  const server = await serving(good);
  const { lifecycle, ended } = living({ url: server.url, watch: false });
  await ended(lifecycle.close());
  await lifecycle.close();
  await ended(lifecycle.start());
  await ended(lifecycle.close());
  expect(lifecycle.status().condition).toBe('closed');
});
