import { describe, expect, it } from 'vitest';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { ServiceRequest } from '../../../src/http/reply.js';
import type { SnapshotStore } from '../../../src/options/snapshot-store.js';
import { openSnapshotSource } from '../../../src/snapshot/snapshot-source.js';
import { encodeKept } from '../kept-text.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { manualClock } from '../../clock.fixture.js';
import { INFO_PATH } from '../../servers/scripted.fixture.js';
import { bodyJson, refusedConnection, reply } from '../fetched.fixture.js';
import { memoryStore } from '../shared/memory-store.fixture.js';
import { POLL_MS } from './watched.fixture.js';

const ORIGIN = { url: 'http://flipt.test', namespace: 'default', environment: undefined };
const never = () => new Promise<never>(() => undefined);

/** The start of an instance with this store, 250 ms after its beginning. */
async function started(storeOf: (clock: ReturnType<typeof manualClock>) => SnapshotStore, isDown = false) {
  const clock = manualClock();
  const settings = {
    ...ORIGIN,
    http: { timeoutMs: 500 },
    watch: { pollMs: POLL_MS, maxAgeMs: 600_000, stream: false },
    snapshot: { store: storeOf(clock) },
    evaluation: 'in-process' as const,
    initTimeoutMs: 5_000,
  };
  const warnings: string[] = [];
  const sentAt: number[] = [];
  const send = ({ path }: ServiceRequest) => {
    if (path === INFO_PATH) return Promise.resolve(reply(404));
    sentAt.push(clock.now());
    return Promise.resolve(isDown ? refusedConnection : reply(200, bodyJson({ new: true }), { etag: 'new' }));
  };
  const life = { warn: (message: string) => warnings.push(message), closing: new AbortController().signal };
  const diagnostics = openDiagnostics();
  const conditions: string[] = [];
  diagnostics.listen('watch-changed', ({ state }) => conditions.push(state));
  const opening = openSnapshotSource(send, settings, life, runtimeOf(clock, diagnostics));
  let opened: Awaited<typeof opening> | undefined;
  void opening.then((snapshots) => (opened = snapshots));
  await clock.advance(250);
  const flags = () => [...(opened?.watch.snapshot()?.flags.keys().keys() ?? [])];
  return { clock, opened: () => opened, flags, warnings, sentAt, conditions };
}

/** A store that keeps the flag `old`, which was confirmed long ago, and answers after this time. */
function keeping(afterMs: number, text = kept()) {
  return (clock: ReturnType<typeof manualClock>): SnapshotStore => ({
    load: async () => {
      await new Promise<void>((resolve) => clock.after(afterMs, resolve));
      return text;
    },
    save: () => Promise.resolve(),
  });
}
const kept = () =>
  encodeKept(
    {
      body: JSON.stringify(bodyJson({ old: true })),
      version: 'old',
      etag: 'old',
      confirmedAt: 0,
    },
    ORIGIN,
  );

describe('a start with a store that does not answer', () => {
  it.each<[string, (clock: ReturnType<typeof manualClock>) => SnapshotStore]>([
    ['of its own', () => ({ load: never, save: never })],
    ['that is shared', (clock) => memoryStore(clock).reached(never)],
  ])('%s asks the service after 250 ms', async (_what, storeOf) => {
    const { opened, flags, sentAt } = await started(storeOf);
    expect(opened()).toBeDefined();
    expect(sentAt).toEqual([250]);
    expect(flags()).toEqual(['new']);
  });

  it('uses what the store gives later, if the service has given nothing', async () => {
    const { clock, flags, conditions, warnings } = await started(keeping(1_000), true);
    expect(flags()).toEqual([]);
    await clock.advance(750);
    expect(flags()).toEqual(['old']);
    expect(conditions).toEqual(['lost']);
    expect(warnings).toEqual([]);
  });

  it('does not go back to it, if the service has', async () => {
    const { clock, flags } = await started(keeping(1_000));
    await clock.advance(5_000);
    expect(flags()).toEqual(['new']);
  });

  it('waits for a shared store that answers but takes its time for the text, and asks nobody else', async () => {
    const { clock, flags, sentAt } = await started((it) => {
      const store = memoryStore(it);
      store.held.lease = { holder: 'other', fence: 1, until: 1e9 };
      store.held.record = { version: 'old', confirmedAt: 0 };
      return { ...store.reached(), load: () => keeping(7_000)(it).load(ORIGIN) };
    });
    await clock.advance(8_000);
    expect(flags()).toEqual(['old']);
    expect(sentAt).toEqual([]);
  });
});
