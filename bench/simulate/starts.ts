import { manualClock } from '../../test/clock.fixture.js';
import { startedFleet } from './fleet.js';
import { simulatedService } from './service.js';

/** What happens to a fleet whose instances start at the same moment. */
export interface FleetStart {
  /** How many whole snapshots Flipt made in the first two minutes. */
  readonly whole: number;
  /**
   * How many milliseconds it took until all instances had seen a change that was made when all had their first
   * snapshot.
   */
  readonly firstChangeMs: number;
  /** The same for another change, two minutes after the start. */
  readonly secondChangeMs: number;
  /** The `seenWithinMs` of the slowest instance after two minutes without a change. */
  readonly seenWithinMs: number;
  readonly restPerSecond: number;
}

const STEP_MS = 100;
const SETTLED_AFTER_MS = 120_000;
const REST_MS = 60_000;
const LONGEST_MS = 600_000;

/** Starts an in-process fleet of a Flipt that makes one whole snapshot after another, each in `wholeMs`. */
export async function startOf(instances: number, wholeMs: number): Promise<FleetStart> {
  const run = async () => {
    const clock = manualClock();
    const service = simulatedService(clock, wholeMs);
    const { fleet, close } = await startedFleet(
      instances,
      () => ({ evaluation: 'in-process' }),
      service,
      clock,
    );
    const watches = fleet.flatMap(({ source }) => source ?? []);
    return { clock, service, watches, close };
  };
  const versions = ({ watches }: Awaited<ReturnType<typeof run>>) =>
    new Set(watches.map((watch) => watch.snapshot()?.version));
  /** How many milliseconds it takes until all instances have this version. */
  const seen = async (running: Awaited<ReturnType<typeof run>>, version: string) => {
    const { clock } = running;
    const since = clock.now();
    const isSeen = () => versions(running).size === 1 && versions(running).has(version);
    while (!isSeen() && clock.now() - since < LONGEST_MS) await clock.advance(STEP_MS);
    return clock.now() - since;
  };

  const changed = await run();
  await seen(changed, 'state-1');
  changed.service.change();
  const firstChangeMs = await seen(changed, 'state-2');
  await changed.clock.advance(Math.max(0, SETTLED_AFTER_MS - changed.clock.now()));
  changed.service.change();
  const secondChangeMs = await seen(changed, 'state-3');
  await changed.close();

  const { clock, service, watches, close } = await run();
  await clock.advance(SETTLED_AFTER_MS - clock.now());
  const whole = service.requests.filter(({ isWhole }) => isWhole).length;
  const seenWithinMs = Math.max(...watches.map((watch) => watch.poller.seenWithinMs()));
  const before = service.requests.length;
  await clock.advance(REST_MS);
  const restPerSecond = (service.requests.length - before) / (REST_MS / 1000);
  await close();
  return { whole, firstChangeMs, secondChangeMs, seenWithinMs, restPerSecond };
}
