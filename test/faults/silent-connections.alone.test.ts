import { describe, expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { countedService } from '../servers/counted-service.fixture.js';
import { memoryStore } from '../snapshot/memory-store.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { until } from './rig.fixture.js';
import { swallowingProxy } from './swallowing-proxy.fixture.js';

/** A busy machine needs more turns for a body. Its cost must stay so low that it makes no polls rarer. */
const clock = useTurningClock(2);
const POLL_MS = 2_000;
const MOST_MS = 60_000;
/** The first start loads code, while time passes with the turns. */
const PATIENT_MS = 3_600_000;

const quiet = () => undefined;
const QUIET = { error: quiet, warn: quiet, info: quiet, debug: quiet };

/** A provider behind a proxy, with the first snapshot of its service. */
async function behindProxy() {
  const service = await countedService();
  const proxy = await swallowingProxy(service.url);
  const provider = new FliptProvider({
    url: proxy.url,
    evaluation: 'in-process',
    watch: { pollMs: POLL_MS },
    initTimeoutMs: PATIENT_MS,
    logger: QUIET,
  });
  await provider.initialize();
  const state = async () => (await provider.resolveStringEvaluation('state', '', {})).value;
  /** Changes the service. Resolves with how many milliseconds pass until the provider has seen it. */
  const change = async () => {
    const since = clock.now();
    const wanted = String(++service.service.state);
    await until(async () => (await state()) === wanted, MOST_MS);
    return clock.now() - since;
  };
  /** Resolves right after a poll, so that a change waits as long as it can. */
  const afterPoll = async () => {
    const { polls } = service.counts;
    await until(() => service.counts.polls > polls, MOST_MS);
  };
  return {
    service,
    proxy,
    provider,
    change,
    afterPoll,
    async [Symbol.asyncDispose]() {
      await provider.onClose();
      await proxy[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

describe('a network that loses bytes without a word', () => {
  it('hides a change for 8 s at most where the open connections die, and the dead one is dropped', async () => {
    await using rig = await behindProxy();
    await rig.afterPoll();
    rig.proxy.swallow();
    expect(await rig.change()).toBeLessThan(8_000);
    await until(() => rig.proxy.open() <= 1, MOST_MS);
  });

  it('hides a change no longer than that after a user has asked for it', async () => {
    await using rig = await behindProxy();
    await rig.afterPoll();
    rig.proxy.swallow();
    rig.provider.invalidate();
    expect(await rig.change()).toBeLessThan(8_000);
  });

  it('is found again after it has lost all connections for a while, old and new', async () => {
    await using rig = await behindProxy();
    await rig.afterPoll();
    rig.proxy.swallowsAll = true;
    await clock.passes(12_000);
    rig.proxy.swallowsAll = false;
    // The third poll may be silent for 8 s, and has just begun.
    expect(await rig.change()).toBeLessThan(8_000 + 3 * POLL_MS);
  });
});

describe('a fleet whose holder of the lease loses its way to Flipt', () => {
  it('sees a change within 15 s, but for the holder, which learns it from the store', async () => {
    const service = await countedService();
    await using proxy = await swallowingProxy(service.url);
    const store = memoryStore(clock);
    const members = Array.from(
      { length: 5 },
      (_, at) =>
        new FliptProvider({
          url: proxy.url,
          evaluation: 'in-process',
          headers: { 'x-process': String(at + 1) },
          watch: { pollMs: POLL_MS },
          snapshot: { store: store.reached() },
          initTimeoutMs: PATIENT_MS,
          logger: QUIET,
        }),
    );
    const have = async (state: number, which = members) => {
      const resolving = which.map((provider) => provider.resolveStringEvaluation('state', '', {}));
      return (await Promise.all(resolving)).every(({ value }) => value === String(state));
    };
    await Promise.all(members.map((provider) => provider.initialize()));
    await until(() => have(1), MOST_MS);
    const { polls } = service.counts;
    await until(() => service.counts.polls > polls, MOST_MS);

    const holder = service.counts.lastPoller;
    proxy.swallowsRequestsWith = `x-process: ${holder}`;
    const since = clock.now();
    service.service.state = 2;
    const others = members.filter((_, at) => at + 1 !== holder);
    await until(() => have(2, others), MOST_MS);
    // The holder polls within 1.2 intervals, and two of its polls are silent. Its lease then lasts for one more interval.
    // Another instance gets the lease within 1.2 intervals, and all others read its snapshot within 1.2 more. With the
    // turns of a busy machine, these times are up to 12 s together.
    expect(clock.now() - since).toBeLessThan(15_000);
    expect(service.counts.lastPoller).not.toBe(holder);
    await until(() => have(2), MOST_MS);

    await Promise.all(members.map((provider) => provider.onClose()));
    await service.close();
  });
});
