import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it, vi } from 'vitest';
import { START_WAIT_MS } from '../../../src/snapshot/snapshot-source.js';
import { eventually } from '../../eventually.fixture.js';
import { memoryStore } from '../../snapshot/shared/memory-store.fixture.js';
import { frozen, isPoll, NEVER, snapshot, well } from './frozen.fixture.js';

const INTERVAL = 15_000;

describe('refresh', () => {
  const inProcess = { evaluation: 'in-process' } as const;

  it('polls when the last poll is older than the interval, and the next resolve sees the change', async () => {
    const { refresh, resolve, ended, clock, service, polls, events, questions } = frozen(
      inProcess,
      well(true),
    );
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

  it('drops the answers of changed flags in remote mode, and leaves all others', async () => {
    const { refresh, resolve, ended, clock, service, questions } = frozen({}, well(true));
    await ended(refresh());
    await ended(resolve());
    await clock.advance(INTERVAL);
    await ended(refresh());
    await ended(resolve());
    expect(questions()).toBe(1);
    service.answering = well(false);
    await clock.advance(INTERVAL);
    await ended(refresh());
    expect((await ended(resolve())).answer).toMatchObject({ enabled: false });
    expect(questions()).toBe(2);
  });

  it("returns at once while another call's poll is under way", async () => {
    const { refresh, ended, abandoned, polls } = frozen(inProcess, well(true));
    await abandoned(refresh);
    await ended(refresh());
    expect(polls()).toBe(1);
  });

  it('polls again if its runtime has ended the call that polled', async () => {
    const { refresh, resolve, ended, clock, service, polls, abandoned } = frozen(inProcess, well(true));
    await ended(refresh());
    await clock.advance(INTERVAL);
    await abandoned(refresh);
    service.answering = well(false);
    clock.block(29_999);
    await ended(refresh());
    expect(polls()).toBe(2);
    clock.block(1);
    await ended(refresh());
    expect(polls()).toBe(3);
    expect((await resolve()).answer).toMatchObject({ enabled: false });
  });

  it('gives up a poll without an answer, and leaves no timer behind', async () => {
    const { refresh, ended, clock, polls, service } = frozen(inProcess, well(true));
    await ended(refresh());
    await clock.advance(INTERVAL);
    service.answering = () => NEVER;
    const refreshed = refresh();
    await clock.advance(60_000);
    await ended(refreshed);
    expect([polls(), service.requests[1]?.signal.aborted, clock.timers()]).toEqual([2, true, 0]);
  });

  it('makes the provider stale three intervals after the last success, with the next call', async () => {
    const { refresh, resolve, ended, clock, service, life } = frozen(inProcess, well(true));
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
    await ended(refresh());
    expect(await resolve()).toMatchObject({ stale: false });
    expect(life.status().condition).toBe('ready');
  });

  it('polls after invalidate, whatever the interval', async () => {
    const { refresh, resolve, ended, service, life, polls } = frozen(inProcess, well(true));
    await ended(refresh());
    service.answering = well(false);
    life.forget();
    expect(polls()).toBe(1);
    await ended(refresh());
    expect((await resolve()).answer).toMatchObject({ enabled: false });
  });

  it('never rejects, and sends nothing after the close', async () => {
    const { refresh, ended, life, polls, clock } = frozen(inProcess, () => {
      throw new Error('down');
    });
    await expect(ended(refresh())).resolves.toBeUndefined();
    const running = life.running();
    await life.close();
    await running?.refresh();
    expect([polls(), clock.timers()]).toEqual([1, 0]);
  });

  it('loads the kept snapshot first, and saves what it has fetched, before it ends', async () => {
    let kept: string | undefined;
    let saves = 0;
    const store = {
      load: () => Promise.resolve(kept),
      save: (text: string) => {
        saves++;
        kept = text;
        return Promise.resolve();
      },
    };
    const options = { ...inProcess, snapshot: { store } };
    const first = frozen(options, well(true));
    await first.ended(first.refresh());
    expect([saves, first.clock.timers()]).toEqual([1, 0]);

    const second = frozen(options, () => 503);
    await second.ended(second.refresh());
    expect((await second.resolve()).answer).toMatchObject({ enabled: true });
    expect(second.questions()).toBe(0);
  });

  it('polls with the first call in remote mode as well, however fresh the kept snapshot is', async () => {
    const kept: string[] = [];
    const save = (text: string) => Promise.resolve(void kept.push(text));
    const store = { load: () => Promise.resolve(kept.at(-1)), save };
    const first = frozen({ ...inProcess, snapshot: { store } }, well(true));
    await first.ended(first.refresh());
    const { refresh, ended, polls } = frozen({ snapshot: { store } }, well(true));
    await ended(refresh());
    expect([kept.length > 0, polls()]).toEqual([true, 1]);
  });

  it('logs each change of the watch once if its runtime has ended the call that loaded the kept snapshot', async () => {
    let loading: Promise<undefined> = NEVER;
    const store = { load: () => loading, save: () => Promise.resolve() };
    const { refresh, ended, clock, logger } = frozen({ ...inProcess, snapshot: { store } }, well(true));
    const load = vi.spyOn(store, 'load');
    void refresh();
    await eventually(() => load.mock.calls.length === 1);
    loading = Promise.resolve(undefined);
    clock.block(30_000);
    await ended(refresh());
    expect(logger.debug.mock.calls.flat().filter((line) => /watched/.test(String(line)))).toHaveLength(1);
  });

  it('announces what happens after a start whose turn of the event loop never ended', async () => {
    const { refresh, ended, clock, life, events } = frozen(inProcess, () => 401);
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

  it('writes to a shared store before it ends, and leaves the lease to run out', async () => {
    const store = memoryStore({ now: () => 0 });
    const slow = async <T>(step: () => T) => {
      await new Promise((resolve) => setImmediate(resolve));
      return step();
    };
    const first = frozen({ ...inProcess, snapshot: { store: store.reached(slow) } }, well(true));
    await first.ended(first.refresh());
    expect([store.held.text === undefined, first.clock.timers()]).toEqual([false, 0]);

    const second = frozen({ ...inProcess, snapshot: { store: store.reached() } }, well(false));
    await second.ended(second.refresh());
    expect((await second.resolve()).answer).toMatchObject({ enabled: true });
    expect([second.polls(), second.clock.timers()]).toEqual([0, 0]);
  });

  it('asks the service as soon as the start has waited in vain for a shared store', async () => {
    const store = memoryStore({ now: () => 0 }).reached(() => NEVER);
    const { refresh, ended, clock, polls } = frozen({ ...inProcess, snapshot: { store } }, well(true));
    const waits = vi.spyOn(clock, 'after');
    const refreshed = refresh();
    await eventually(() => waits.mock.calls.some(([ms]) => ms === START_WAIT_MS));
    await clock.advance(START_WAIT_MS);
    await ended(refreshed);
    expect([polls(), clock.now()]).toEqual([1, START_WAIT_MS]);
  });

  it('loads from a shared store again if its runtime has ended the call that loaded', async () => {
    const store = memoryStore({ now: () => first.clock.now() });
    const first = frozen({ ...inProcess, snapshot: { store: store.reached() } }, well(true));
    const reached = store.reached();
    const load = vi.fn((...at: Parameters<typeof reached.load>) => reached.load(...at));
    const second = frozen({ ...inProcess, snapshot: { store: { ...reached, load } } }, well(false));
    await first.ended(first.refresh());
    await second.ended(second.refresh());
    first.service.answering = well(false);
    for (const { clock } of [first, second]) await clock.advance(2 * INTERVAL);
    await first.ended(first.refresh());

    load.mockReturnValueOnce(NEVER);
    const { length: before } = load.mock.calls;
    void second.refresh();
    await eventually(() => load.mock.calls.length > before);
    second.clock.block(30_000);
    await second.ended(second.refresh());
    expect((await second.resolve()).answer).toMatchObject({ enabled: false });
    expect(second.polls()).toBe(0);
  });

  it('checks a service that has failed, which nothing else would in-process', async () => {
    const { refresh, resolve, ended, clock, service, life } = frozen(inProcess, (request) =>
      isPoll(request) ? snapshot(true) : 401,
    );
    await life.start();
    expect((await ended(resolve())).answer).toMatchObject({ failure: { kind: 'unauthorized' } });
    await ended(refresh());
    expect(life.status().condition).toBe('stale');
    service.answering = well(true);
    await clock.advance(INTERVAL);
    await ended(refresh());
    expect(life.status().condition).toBe('ready');
  });
});
