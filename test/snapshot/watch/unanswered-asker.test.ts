import { describe, expect, it } from 'vitest';
import { NO_COST } from '../../../src/snapshot/poll-cost.js';
import { failedBy, type Fetched, type FetchSnapshot } from '../../../src/snapshot/fetch-snapshot.js';
import type { Asker } from '../../../src/snapshot/tag-trust.js';
import { openWatch } from '../../../src/snapshot/watch/poll-watch.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { INFO_PATH } from '../../servers/scripted.fixture.js';
import { bodyJson, fetching, refusedConnection, reply } from '../fetched.fixture.js';
import { memoryStore } from '../shared/memory-store.fixture.js';
import { chance, countingService, instance } from '../shared/fleet.fixture.js';
import { PATIENCE_MS, POLL_MS } from './watched.fixture.js';

/** Outcomes of polls in which the service has not answered this instance. */
const UNANSWERED: readonly (readonly [string, (served: Served) => Fetched])[] = [
  ['fails', () => failedBy(refusedConnection)],
  ['is told to pause', () => ({ ...failedBy({ kind: 'gateway', message: '429' }), retryAfterMs: 40_000 })],
  ['is not sent, because the service has asked for a pause', () => ({ kind: 'no-news' })],
  ['brings what another instance has found', (served) => ({ ...served, confirmedAt: 0 })],
];

type Served = Extract<Fetched, { readonly kind: 'snapshot' | 'unchanged' }>;

/** A watch of a service that answers each poll as the test says, and who has asked each time. */
async function watching() {
  const clock = manualClock();
  const { fetch } = fetching(() => Promise.resolve(reply(200, bodyJson({ a: true }))), clock);
  const first = await fetch(undefined);
  if (!('snapshot' in first)) throw new Error('nothing was served');
  const served: Served = { ...first, cost: NO_COST };
  const service: { answer: Fetched | Promise<Fetched> } = { answer: served };
  const askers: (Asker | undefined)[] = [];
  const answering: FetchSnapshot = (_known, asker) => {
    askers.push(asker);
    return Promise.resolve(service.answer);
  };
  const settings = { fetch: answering, pollMs: POLL_MS, patienceMs: PATIENCE_MS };
  const watch = openWatch(settings, runtimeOf(clock));
  await clock.advance(1_000);
  askers.length = 0;
  return { watch, clock, served, service, askers };
}

describe('a watch keeps why a user asked', () => {
  it.each(UNANSWERED)('if the poll %s, until one is answered', async (_how, answer) => {
    const { watch, served, service, askers, clock } = await watching();
    service.answer = answer(served);
    void watch.poll('user');
    await clock.advance(1_000);
    void watch.poll('reset');
    await clock.advance(120_000);
    expect(askers.length).toBeGreaterThan(2);
    expect(new Set(askers.slice(1))).toEqual(new Set(['reset']));
    service.answer = served;
    await clock.advance(60_000);
    expect(askers.at(-1)).toBeUndefined();
    watch.close();
  });

  it('if all flags are lost, which is an answer, for no longer than that', async () => {
    const { watch, service, askers, clock } = await watching();
    service.answer = failedBy({ kind: 'flags-lost', message: 'no flags' });
    void watch.poll('user');
    await clock.advance(40_000);
    expect(askers.slice(0, 2)).toEqual(['user', undefined]);
    watch.close();
  });

  it('during a pause, in which it polls no sooner', async () => {
    const { watch, served, service, askers, clock } = await watching();
    service.answer = { ...failedBy({ kind: 'gateway', message: '429' }), retryAfterMs: 40_000 };
    await clock.advance(20_000);
    service.answer = served;
    void watch.poll('reset');
    void watch.poll('user');
    await clock.advance(19_000);
    expect(askers).toEqual([undefined]);
    await clock.advance(40_000);
    expect(askers.slice(0, 3)).toEqual([undefined, 'reset', undefined]);
    watch.close();
  });
});

it('a watch keeps why a user asked if a poll that began later was answered first', async () => {
  const { watch, clock, service, askers } = await watching();
  service.answer = { kind: 'overtaken' };
  await watch.poll('reset');
  await watch.poll();
  expect(askers).toEqual(['reset', 'reset']);
  watch.close();
  expect(clock.timers()).toBe(0);
});

it('a watch keeps why a user asked, at whatever moment another request begins', async () => {
  for (let links = 0; links < 40; links++) {
    const { watch, clock, served, service, askers } = await watching();
    let end: (fetched: Fetched) => void = () => undefined;
    service.answer = new Promise<Fetched>((resolve) => (end = resolve));
    void watch.poll();
    await clock.settle();
    service.answer = served;
    void watch.poll('reset');
    end(served);
    for (let link = 0; link < links; link++) await Promise.resolve();
    void watch.poll();
    await clock.settle();
    expect(askers).toContain('reset');
    watch.close();
  }
});

it('an instance that shares a store asks the service itself, once its pause is over', async () => {
  const clock = manualClock();
  const service = countingService(clock);
  const store = memoryStore(clock);
  const holder = await instance(service.send, store.reached(), clock, chance(1));
  await clock.advance(1);
  let asked = 0;
  const counting: typeof service.send = (request) => {
    if (request.path !== INFO_PATH) asked++;
    return service.send(request);
  };
  const other = await instance(counting, store.reached(), clock, chance(2));
  await clock.advance(POLL_MS);
  expect([asked, other.state()]).toEqual([0, 1]);
  service.trouble = reply(429, '', { 'retry-after': '30' });
  await other.snapshots.watch.poll('reset');
  service.trouble = undefined;
  await clock.advance(29_000);
  await other.snapshots.watch.poll('reset');
  expect(asked).toBe(1);
  await clock.advance(3 * POLL_MS);
  expect(asked).toBe(2);
  await holder.close();
  await other.close();
});
