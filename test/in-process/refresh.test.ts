import { ProviderEvents } from '@openfeature/server-sdk';
import { expect, it } from 'vitest';
import { inMemory, POLL_MS, well } from './in-memory.fixture.js';

it('waits for the poll that is under way, and the next resolve sees the change', async () => {
  const { refresh, resolve, ended, clock, service, polls, events, life } = inMemory(
    { evaluation: 'in-process' },
    well(true),
  );
  const changed: unknown[] = [];
  events.addHandler(ProviderEvents.ConfigurationChanged, (details) => changed.push(details?.flagsChanged));
  await ended(life.start());
  expect(await resolve()).toMatchObject({ answer: { enabled: true } });

  let answer: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (answer = resolve));
  service.answering = async (request) => {
    await released;
    return well(false)(request);
  };
  await clock.advance(POLL_MS * 0.8);
  expect(polls()).toBe(2);
  const refreshed = { isDone: false };
  const refreshing = refresh().then(() => (refreshed.isDone = true));
  await clock.settle();
  expect(refreshed.isDone).toBe(false);
  answer();
  await ended(refreshing);
  expect(await resolve()).toMatchObject({ answer: { enabled: false } });
  expect([polls(), changed]).toEqual([2, [['on']]]);
  await ended(life.close());
});

it('never rejects, and sends nothing after the close', async () => {
  const { refresh, ended, life, polls, clock } = inMemory({ evaluation: 'in-process' }, () => {
    throw new Error('down');
  });
  const starting = life.start();
  await expect(ended(refresh())).resolves.toBeUndefined();
  const running = life.current();
  const before = polls();
  await ended(life.close());
  await ended(starting);
  await running?.refresh();
  await clock.advance(2 * POLL_MS);
  expect(polls()).toBe(before);
});
