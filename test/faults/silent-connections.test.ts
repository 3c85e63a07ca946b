import { describe, expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { countedService } from '../servers/counted-service.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { until } from './rig.fixture.js';
import { swallowingProxy } from './swallowing-proxy.fixture.js';

const clock = useTurningClock();
const POLL_MS = 2_000;
const MOST_MS = 60_000;

/** A provider behind a proxy, with the first snapshot of its service. */
async function behindProxy() {
  const service = await countedService();
  const proxy = await swallowingProxy(service.url);
  const quiet = () => undefined;
  const provider = new FliptProvider({
    url: proxy.url,
    evaluation: 'in-process',
    watch: { pollMs: POLL_MS },
    logger: { error: quiet, warn: quiet, info: quiet, debug: quiet },
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
    for (let death = 0; death < 2; death++) {
      await rig.afterPoll();
      rig.proxy.swallow();
      expect(await rig.change()).toBeLessThan(8_000);
      await until(() => rig.proxy.open() <= 1, MOST_MS);
    }
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
    await rig.afterPoll();
    rig.proxy.swallow();
    expect(await rig.change()).toBeLessThan(8_000);
  });
});
