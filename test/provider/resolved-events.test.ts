import { afterEach, expect, it } from 'vitest';
import { providerSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { good } from './changing.fixture.js';
import { recordingLogger, refusedAddress, serving } from './open.fixture.js';
import { living } from './status/living.fixture.js';
import { pipelineOf } from './pipeline.fixture.js';

let running: ReturnType<typeof pipelineOf> | undefined;
afterEach(() => running?.close());

const opened = (url: string) => {
  const clock = manualClock();
  const open = pipelineOf(providerSettings({ url, http: { retries: 0 } }, {}), clock, () => 1);
  running = open;
  const resolve = async (name: string) => {
    // The batch is sent at the end of a turn.
    const coming = open.evaluate(name, { targetingKey: 'user' });
    await clock.settle();
    return coming;
  };
  return { clock, resolve, running: open };
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
  const { lifecycle, ended } = living({ url: await refusedAddress() });
  const events: unknown[] = [];
  lifecycle.diagnostics.listen('resolved', ({ flag, failure }) => events.push([flag, failure]));
  const { evaluate } = lifecycle;
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
  await ended(lifecycle.close());
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
  const asked = [open.prefetch(['a', 5 as never], {}), open.prefetch(['b'], null as never)];
  await clock.settle();
  await Promise.all(asked);
  expect(events).toEqual([]);
  await open.evaluate('a', {});
  expect(events).toEqual([['a', 'cache']]);
});

it('a defect in a listener of our own is an error in the log, and costs nobody an answer', async () => {
  const server = await serving(good);
  const logger = recordingLogger();
  const { lifecycle, ended } = living({ url: server.url, logger });
  lifecycle.diagnostics.listen('miss', () => {
    throw new Error('a mistake of ours');
  });
  await ended(lifecycle.start());
  const resolution = await ended(Promise.resolve(lifecycle.evaluate('a', {})));
  expect(resolution?.answer).toMatchObject({ variant: 'blue' });
  expect(logger.error.mock.calls).toEqual([['A defect of openfeature-flipt-provider: a mistake of ours']]);
  await ended(lifecycle.close());
});
