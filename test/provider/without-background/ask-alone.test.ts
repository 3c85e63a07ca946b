import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import type { AskAtOnce } from '../../../src/model/answer.js';
import { providerSettings } from '../../../src/options/settings.js';
import { askingAlone } from '../../../src/provider/evaluate/ask-alone.js';
import { manualClock } from '../../clock.fixture.js';
import { collectGarbage } from '../../garbage.fixture.js';

const WITHIN_MS = 500;

/** Asks by this function, and counts what waits for the close. */
function asking(askAtOnce: AskAtOnce) {
  const clock = manualClock();
  const closing = new AbortController();
  const settings = providerSettings({ watch: { background: false }, http: { retries: 0 } }, {});
  const resolve = askingAlone(
    {
      askAtOnce,
      sizes: { empty: 0, of: () => 0 },
      closing: closing.signal,
      withinMs: WITHIN_MS,
      odd: () => undefined,
      health: { asked: () => undefined },
      snapshots: { opened: () => undefined, missing: () => undefined },
    },
    settings,
    clock,
  );
  const ask = (user: string) => Promise.resolve(resolve('on', { targetingKey: user }, undefined));
  const listeners = () => getEventListeners(closing.signal, 'abort').length;
  return { ask, clock, closing, before: listeners(), listeners };
}

it.each<[string, AskAtOnce]>([
  ['is answered', (questions) => Promise.resolve(questions.map(() => ({ kind: 'missing' })))],
  ['fails', () => Promise.resolve({ kind: 'connection', message: 'refused' })],
  ['ends with an exception', () => Promise.reject(new Error('a defect'))],
  [
    'ends with an exception at once',
    () => {
      throw new Error('a defect');
    },
  ],
  ['is never answered', () => new Promise(() => undefined)],
])('a question that %s leaves no listener and no timer behind', async (_how, askAtOnce) => {
  const { ask, clock, before, listeners } = asking(askAtOnce);
  const asked = Promise.allSettled([ask('1'), ask('2'), ask('3')]);
  await clock.advance(WITHIN_MS);
  await asked;
  expect([listeners(), clock.timers()]).toEqual([before, 0]);
});

it('the close ends the questions under way', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { ask, closing } = asking((_questions, signal) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  void ask('1');
  void ask('2');
  closing.abort();
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  expect(await ask('3')).toMatchObject({ answer: { kind: 'failed', failure: { kind: 'closed' } } });
  expect(signals).toHaveLength(2);
});

it('questions whose runtime ended them, so that nothing of them goes on, stay no longer than their time', async () => {
  const signals: WeakRef<AbortSignal>[] = [];
  const { ask, clock, before, listeners } = asking((_questions, signal) => {
    if (signal !== undefined) signals.push(new WeakRef(signal));
    return new Promise(() => undefined);
  });
  // Their timers never fire, either.
  const never = Object.assign(clock, { after: () => () => undefined });
  for (let user = 0; user < 100; user++) void ask(`user-${user}`);
  never.block(WITHIN_MS);
  void ask('another');
  expect(listeners()).toBe(before);
  // A reference keeps its object until this turn ends.
  await new Promise(setImmediate);
  collectGarbage();
  expect(signals).toHaveLength(101);
  // The engine may still hold the last few of them, but it must not hold all of them.
  expect(signals.filter((signal) => signal.deref() !== undefined).length).toBeLessThan(10);
});
