import { afterEach, expect, it } from 'vitest';
import { evaluating } from '../../src/provider/evaluate/evaluating.js';
import { run, type Running } from '../../src/provider/pipeline.js';
import { providerSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { good } from './changing.fixture.js';
import { refusedAddress, serving } from './open.fixture.js';

let running: Running | undefined;
afterEach(() => running?.close());

const opened = (url: string) => {
  const clock = manualClock();
  running = run(
    providerSettings({ url, http: { retries: 0 } }, {}),
    () => undefined,
    clock,
    () => 1,
  );
  const resolve = async (name: string) => {
    // The batch is sent at the end of a turn.
    const coming = running?.resolve(name, { targetingKey: 'user' }, undefined);
    await clock.settle();
    return coming;
  };
  return { clock, resolve, running };
};

it('each resolve is reported with its source and duration, once a listener has attached', async () => {
  const server = await serving(good);
  const { resolve, running: open } = opened(server.url);
  await resolve('a');
  const events: unknown[] = [];
  const end = open.listen('resolved', (event) => events.push(event));
  await resolve('b');
  await resolve('b');
  end();
  await resolve('b');
  const expected = { type: 'resolved', flag: 'b', stale: false, missing: false, failure: undefined };
  expect(events).toEqual([
    { ...expected, source: 'service', durationMs: 0 },
    { ...expected, source: 'cache', durationMs: 0 },
  ]);
});

it('a resolve that fails is reported with the kind of its failure', async () => {
  const { resolve, running: open } = opened(await refusedAddress());
  const failures: unknown[] = [];
  open.listen('resolved', ({ failure }) => failures.push(failure));
  await resolve('a');
  expect(failures).toEqual(['connection']);
});

it('a resolve that cannot begin is reported as well, but none of a closed provider', async () => {
  const { running: open } = opened(await refusedAddress());
  const events: unknown[] = [];
  open.listen('resolved', ({ flag, failure }) => events.push([flag, failure]));
  let current: Running | undefined = open;
  const evaluate = evaluating(() => current);
  const unreadable = new Proxy(
    {},
    {
      get: () => {
        throw new Error('unreadable');
      },
    },
  );
  await evaluate('a', unreadable);
  await evaluate(5 as never, {});
  current = undefined;
  await evaluate('a', {});
  expect(events).toEqual([
    ['a', 'context'],
    ['', 'flag-key'],
  ]);
});

it('a question that is asked ahead is no resolve', async () => {
  const server = await serving(good);
  const { clock, running: open } = opened(server.url);
  const events: unknown[] = [];
  open.listen('resolved', ({ flag, source }) => events.push([flag, source]));
  const ahead = evaluating(() => open.ahead);
  const asked = [ahead('a', {}), ahead(5 as never, {}), ahead('b', null as never)];
  await clock.settle();
  for (const asking of asked) await asking;
  expect(events).toEqual([]);
  await open.resolve('a', {}, undefined);
  expect(events).toEqual([['a', 'cache']]);
});
