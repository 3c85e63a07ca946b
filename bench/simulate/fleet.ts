import type { FliptProviderOptions } from '../../src/index.js';
import { providerSettings } from '../../src/options/settings.js';
import { pipelineOf } from '../../test/provider/pipeline.fixture.js';
import { manualClock, type ManualClock } from '../../test/clock.fixture.js';
import { chance } from '../../test/snapshot/chance.fixture.js';
import { memoryStore, type MemoryStore } from '../../test/snapshot/memory-store.fixture.js';
import { FLAGS, simulatedService, type SimulatedService } from './service.js';

export const MODES: readonly (readonly [string, (store: MemoryStore) => FliptProviderOptions])[] = [
  ['TTL (`watch: false`)', () => ({ watch: false })],
  ['watch', () => ({})],
  ['watch, shared store', (store) => ({ snapshot: { store: store.reached() } })],
  ['in-process', () => ({ evaluation: 'in-process' })],
  [
    'in-process, shared store',
    (store) => ({ evaluation: 'in-process', snapshot: { store: store.reached() } }),
  ],
];

/** What a fleet asks the service for. */
export interface Load {
  /** The largest number of requests in one second, and the number of whole snapshots. */
  readonly deploy: Burst;
  readonly restPerSecond: number;
  readonly change: Burst;
  readonly restart: Burst;
}

interface Burst {
  readonly mostPerSecond: number;
  readonly whole: number;
}

/** How often each instance resolves all flags for one user. */
const RESOLVES_EVERY_MS = 5_000;
const SETTLED_AFTER_MS = 120_000;
const REST_MS = 60_000;
const BURST_MS = 40_000;
const DOWN_MS = 30_000;
const QUIET = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** Starts instances with the layers of real providers, all at the same moment. */
export async function startedFleet(
  instances: number,
  optionsOf: (store: MemoryStore) => FliptProviderOptions,
  service: SimulatedService,
  clock: ManualClock,
) {
  const store = memoryStore(clock);
  const fleet = Array.from({ length: instances }, (_, at) => {
    const options = { ...optionsOf(store), http: { dispatcher: service.dispatcher }, logger: QUIET };
    const random = chance(at);
    const running = pipelineOf(providerSettings(options, {}), clock, random);
    const resolveAll = () => {
      for (const flag of FLAGS) void running.evaluate(flag, { targetingKey: `user-${at}` });
      clock.after(RESOLVES_EVERY_MS, resolveAll, 'background');
    };
    clock.after(RESOLVES_EVERY_MS * random(), resolveAll, 'background');
    return running;
  });
  for (const { start } of fleet) void start();
  const close = async () => {
    const closing = Promise.all(fleet.map(({ close }) => close()));
    await clock.advance(1_000);
    await closing;
  };
  return { fleet, close };
}

/**
 * Measures what the instances of a fleet ask the service for.
 *
 * @param wholeMs how many milliseconds the service needs for a whole snapshot.
 */
export async function simulated(
  instances: number,
  optionsOf: (store: MemoryStore) => FliptProviderOptions,
  wholeMs = 0,
): Promise<Load> {
  const clock = manualClock();
  const service = simulatedService(clock, wholeMs);
  const { close } = await startedFleet(instances, optionsOf, service, clock);
  /** The requests of the next `ms`. */
  const during = async (ms: number) => {
    const before = service.requests.length;
    await clock.advance(ms);
    return service.requests.slice(before);
  };
  const burst = async (first: typeof service.requests = []): Promise<Burst> => {
    const requests = [...first, ...(await during(BURST_MS))];
    const perSecond = new Map<number, number>();
    for (const { at } of requests) {
      const second = Math.floor(at / 1000);
      perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
    }
    return {
      mostPerSecond: Math.max(0, ...perSecond.values()),
      whole: requests.filter(({ isWhole }) => isWhole).length,
    };
  };

  const deploy = await burst([...service.requests]);
  await clock.advance(SETTLED_AFTER_MS);
  const restPerSecond = (await during(REST_MS)).length / (REST_MS / 1000);
  service.change();
  const change = await burst();
  await clock.advance(SETTLED_AFTER_MS);
  service.isDown = true;
  await clock.advance(DOWN_MS);
  service.isDown = false;
  const restart = await burst();
  await close();
  return { deploy, restPerSecond, change, restart };
}
