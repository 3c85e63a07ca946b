import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it, vi } from 'vitest';
import { START_WAIT_MS } from '../../../src/snapshot/snapshot-source.js';
import { eventually } from '../../eventually.fixture.js';
import { memoryStore } from '../../snapshot/shared/memory-store.fixture.js';
import { savingStore } from '../../snapshot/stores/saving-store.fixture.js';
import { frozen, NEVER, well } from './frozen.fixture.js';

const INTERVAL = 15_000;

describe('refresh', () => {
  it('polls when the last poll is older than the interval, and the next resolve sees the change', async () => {
    const { refresh, resolve, ended, clock, service, polls, events, questions } = frozen({}, well(true));
    const changed: unknown[] = [];
    events.addHandler(ProviderEvents.ConfigurationChanged, (details) => changed.push(details?.flagsChanged));
    await ended(refresh());
    service.answering = well(false);
    await clock.advance(INTERVAL - 1);
    await ended(refresh());
    expect((await resolve()).answer).toMatchObject({ enabled: true });
    expect(polls()).toBe(1);

    await clock.advance(1);
    await ended(refresh());
    expect((await resolve()).answer).toMatchObject({ enabled: false });
    expect([polls(), questions(), changed, clock.timers()]).toEqual([2, 0, [['on']], 0]);
  });

  it("returns at once while another call's poll is under way", async () => {
    const { refresh, ended, abandoned, polls } = frozen({}, well(true));
    await abandoned(refresh);
    await ended(refresh());
    expect(polls()).toBe(1);
  });

  it('polls again if its runtime has ended the call that polled', async () => {
    const { refresh, resolve, ended, clock, service, polls, abandoned } = frozen({}, well(true));
    await ended(refresh());
    await clock.advance(INTERVAL);
    await abandoned(refresh);
    service.answering = well(false);
    clock.block(999);
    await ended(refresh());
    expect(polls()).toBe(2);
    clock.block(1);
    await ended(refresh());
    expect(polls()).toBe(3);
    expect((await resolve()).answer).toMatchObject({ enabled: false });
  });

  it('ends a poll without an answer with its own time, and leaves no timer behind', async () => {
    const { refresh, ended, clock, polls, service } = frozen({}, well(true));
    await ended(refresh());
    await clock.advance(INTERVAL);
    service.answering = () => NEVER;
    const refreshed = refresh();
    await clock.advance(1_000);
    await ended(refreshed);
    expect([polls(), service.requests[1]?.signal.aborted, clock.timers()]).toEqual([2, true, 0]);
  });

  it('makes the provider stale three intervals after the last success, with the next call', async () => {
    const { refresh, resolve, ended, clock, service, life } = frozen({}, well(true));
    await life.start();
    await ended(refresh());
    service.answering = () => 503;
    await clock.advance(3 * INTERVAL - 1);
    expect(await resolve()).toMatchObject({ stale: false });
    await clock.advance(1);
    expect(life.status().condition).toBe('ready');
    expect(await resolve()).toMatchObject({ stale: true, answer: { enabled: true } });
    expect(life.status().condition).toBe('stale');

    service.answering = well(true);
    await clock.advance(INTERVAL);
    expect(await ended(resolve())).toMatchObject({ stale: false });
    expect(life.status().condition).toBe('ready');
  });

  it('polls after invalidate, whatever the interval', async () => {
    const { refresh, resolve, ended, service, life, polls } = frozen({}, well(true));
    await ended(refresh());
    service.answering = well(false);
    life.forget();
    expect(polls()).toBe(1);
    await ended(refresh());
    expect((await resolve()).answer).toMatchObject({ enabled: false });
  });

  it('never rejects, and sends nothing after the close', async () => {
    const { refresh, ended, life, polls, clock } = frozen({}, () => {
      throw new Error('down');
    });
    await expect(ended(refresh())).resolves.toBeUndefined();
    const running = life.running();
    await life.close();
    await running?.refresh();
    expect([polls(), clock.timers()]).toEqual([1, 0]);
  });

  it('loads the kept snapshot first, and saves what it has fetched, before it ends', async () => {
    const { store, saved } = savingStore();
    const options = { snapshot: { store } };
    const first = frozen(options, well(true));
    await first.ended(first.refresh());
    expect([saved.length, first.clock.timers()]).toEqual([1, 0]);

    const second = frozen(options, () => 503);
    await second.ended(second.refresh());
    expect((await second.resolve()).answer).toMatchObject({ enabled: true });
    expect(second.questions()).toBe(0);
  });

  it('believes a Flipt that has no flags any more if invalidate() was called before the first call', async () => {
    const { store } = savingStore();
    const options = { snapshot: { store } };
    const first = frozen(options, well(true));
    await first.ended(first.refresh());

    const second = frozen(options, () => ({ namespace: { key: 'default' }, flags: [] }));
    second.life.forget();
    await second.ended(second.refresh());
    expect(second.life.status().problems).toEqual([]);
    expect(second.life.running()?.snapshots?.snapshot()?.flags.keys().size).toBe(0);
  });

  it('logs each change of the watch once if its runtime has ended the call that loaded the kept snapshot', async () => {
    let loading: Promise<undefined> = NEVER;
    const store = { load: () => loading, save: () => Promise.resolve() };
    const { refresh, ended, clock, logger } = frozen({ snapshot: { store } }, well(true));
    const load = vi.spyOn(store, 'load');
    void refresh();
    await eventually(() => load.mock.calls.length === 1);
    loading = Promise.resolve(undefined);
    clock.block(1_000);
    await ended(refresh());
    expect(logger.debug.mock.calls.flat().filter((line) => /watches/.test(String(line)))).toHaveLength(1);
  });

  it('announces what happens after a start whose turn of the event loop never ended', async () => {
    const { refresh, ended, clock, life, events } = frozen({}, () => 401);
    const errors = vi.fn();
    events.addHandler(ProviderEvents.Error, errors);
    const endOfTurn = vi.spyOn(clock, 'endOfTurn').mockImplementation(() => undefined);
    await life.start();
    endOfTurn.mockRestore();
    void life.evaluate('on', {});
    await ended(refresh());
    await clock.settle();
    expect([life.status().condition, errors.mock.calls.length]).toEqual(['error', 1]);
  });

  it('reads a shared store, and leaves the lease to instances with a background', async () => {
    const store = memoryStore({ now: () => 0 }).reached();
    const shared = vi.fn();
    const save = vi.fn();
    const load = vi.fn((...at: Parameters<typeof store.load>) => store.load(...at));
    const { refresh, ended, polls } = frozen({ snapshot: { store: { load, save, shared } } }, well(true));
    await ended(refresh());
    expect([load, save, shared].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0]);
    expect(polls()).toBe(1);
  });

  it('asks the service as soon as it has waited in vain for a store', async () => {
    const store = { load: () => NEVER, save: () => NEVER };
    const { refresh, ended, clock, polls } = frozen({ snapshot: { store } }, well(true));
    const waits = vi.spyOn(clock, 'after');
    const refreshed = refresh();
    await eventually(() => waits.mock.calls.some(([ms]) => ms === START_WAIT_MS));
    await clock.advance(START_WAIT_MS);
    await clock.advance(1_000);
    await ended(refreshed);
    expect(polls()).toBe(1);
  });
});
