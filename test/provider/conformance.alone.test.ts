import { OpenFeature, ProviderEvents, ServerProviderStatus } from '@openfeature/server-sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { FliptProvider } from '../../src/index.js';
import { manualClock } from '../clock.fixture.js';
import { eventually } from '../eventually.fixture.js';
import { fickleFlipt, type Fickle } from './lost-flags/fickle.fixture.js';
import { recordingLogger } from './open.fixture.js';

/*
 * This file tests the rows of OpenFeature's conformance suite about the status of a provider. The provider is in remote
 * mode, has default options, and gets no traffic. The client and the status are those of the SDK.
 */

/** Three intervals without a confirmed snapshot, and the turns of the event loop at their end. */
const STALE_WITHIN_MS = 46_000;
/** A check comes at most 10 s after the one before, and a poll follows. */
const READY_WITHIN_MS = 20_000;

afterEach(async () => {
  vi.restoreAllMocks();
  await OpenFeature.clearProviders();
});

/** A client of a provider, whose clock the test moves. It counts the events of the provider. */
function registered(flipt: Fickle) {
  const clock = manualClock();
  for (const name of ['now', 'date', 'after', 'endOfTurn'] as const)
    vi.spyOn(systemClock, name).mockImplementation(clock[name]);
  const http = { dispatcher: { request: flipt.request } };
  const provider = new FliptProvider({ url: 'http://flipt.test', logger: recordingLogger(), http });
  const client = OpenFeature.getClient('conformance');
  const events: string[] = [];
  for (const event of [ProviderEvents.Ready, ProviderEvents.Stale, ProviderEvents.Error])
    client.addHandler(event, () => void events.push(event));
  events.length = 0;
  let hasStarted = false;
  const starting = OpenFeature.setProviderAndWait('conformance', provider).catch(() => undefined);
  void starting.finally(() => (hasStarted = true));
  const started = () =>
    eventually(async () => {
      await clock.advance(100);
      return hasStarted;
    });
  const status = () => client.providerStatus;
  /** Time passes, until the status is this one. Returns how many milliseconds that takes. */
  const until = async (expected: ServerProviderStatus, withinMs: number) => {
    const since = clock.now();
    while (status() !== expected && clock.now() - since < withinMs) await clock.advance(1_000);
    expect(status()).toBe(expected);
    return clock.now() - since;
  };
  return { clock, events, started, status, until };
}

describe("OpenFeature's conformance suite: the status of a provider", () => {
  it('is READY while the service is there', async () => {
    const { clock, started, status } = registered(fickleFlipt());
    await started();
    expect(status()).toBe(ServerProviderStatus.READY);
    await clock.advance(600_000);
    expect(status()).toBe(ServerProviderStatus.READY);
  });

  it('is NOT_READY before the start has ended', async () => {
    const { started, status } = registered(fickleFlipt());
    expect(status()).toBe(ServerProviderStatus.NOT_READY);
    await started();
  });

  it.each([
    ['ERROR', 'cannot be reached', 'down'],
    ['FATAL', 'rejects the credentials', 'refusing'],
  ] as const)(
    'is %s where the service %s at the start, and READY once it answers',
    async (said, _why, state) => {
      const flipt = fickleFlipt();
      flipt.state = state;
      const { started, status, until } = registered(flipt);
      await started();
      expect(status()).toBe(ServerProviderStatus[said]);
      flipt.state = 'good';
      await until(ServerProviderStatus.READY, READY_WITHIN_MS);
    },
  );

  it('is STALE (@stale) when the service is gone, without traffic, and READY after it is back', async () => {
    const flipt = fickleFlipt();
    const { clock, started, until, events } = registered(flipt);
    await started();
    await clock.advance(60_000);
    events.length = 0;
    flipt.state = 'down';
    const staleAfterMs = await until(ServerProviderStatus.STALE, STALE_WITHIN_MS);
    // Until 15 s plus 20 % ago, the snapshot was confirmed.
    expect(staleAfterMs).toBeGreaterThan(26_000);
    await clock.advance(600_000);
    expect(events).toEqual([ProviderEvents.Stale]);
    flipt.state = 'good';
    await until(ServerProviderStatus.READY, READY_WITHIN_MS);
    await clock.advance(60_000);
    expect(events).toEqual([ProviderEvents.Stale, ProviderEvents.Ready]);
  });

  it('is READY within ten seconds where the service is back as soon as it was STALE', async () => {
    const flipt = fickleFlipt();
    const { started, until } = registered(flipt);
    await started();
    flipt.state = 'down';
    await until(ServerProviderStatus.STALE, STALE_WITHIN_MS);
    flipt.state = 'good';
    await until(ServerProviderStatus.READY, 10_000);
  });
});
