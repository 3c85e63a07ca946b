import { describe, expect, it } from 'vitest';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import type { Reply, ServiceRequest } from '../../src/http/reply.js';
import type { Failure } from '../../src/model/failure.js';
import { openSnapshotSource, START_WAIT_MS } from '../../src/snapshot/snapshot-source.js';
import { collectGarbage } from '../garbage.fixture.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { INFO_PATH } from '../servers/scripted.fixture.js';
import { flagJson, refusedConnection, reply } from './fetched.fixture.js';
import { ORIGIN } from './origin.fixture.js';
import { encodeKept } from './kept-text.fixture.js';
import { POLL_MS } from './watch/watched.fixture.js';

const NAMES = Array.from({ length: 1_500 }, (_, at) => `flag-${at}`);
/** So long that its flags are read in many turns of the event loop. */
const bodyOf = (enabled: boolean) => ({
  namespace: { key: 'default' },
  flags: [
    ...NAMES.map((key) => ({ ...flagJson(key, enabled), description: 'x'.repeat(2_000) })),
    { key: 'newer', type: 'LIST_FLAG_TYPE' },
  ],
});
const TEXT = encodeKept(
  { body: JSON.stringify(bodyOf(true)), version: 'one', etag: 'one', confirmedAt: 0 },
  ORIGIN,
);
const DAMAGED = `${TEXT.slice(0, -100)}y${TEXT.slice(-99)}`;
/** Turns of the event loop that come before the first line of the text is known. */
const FEW_TURNS = 3;

/** The start of an instance in whose store a long snapshot is kept. */
async function starting(answers: readonly (Reply | Failure | Promise<Reply>)[], text = TEXT) {
  const manual = manualClock();
  const left = [...answers];
  const seen = { turns: 0, sent: [] as { etag: unknown; turns: number }[] };
  const events: unknown[] = [];
  const clock = {
    ...manual,
    endOfTurn: (run: () => void) => {
      seen.turns++;
      manual.endOfTurn(run);
    },
  };
  const send = ({ path, headers }: ServiceRequest) => {
    if (path === INFO_PATH) return Promise.resolve(reply(404));
    seen.sent.push({ etag: headers?.['if-none-match'], turns: seen.turns });
    return Promise.resolve<Reply | Failure>(left.shift() ?? reply(304));
  };
  const diagnostics = openDiagnostics();
  diagnostics.listen('flags-changed', ({ flags }) => events.push({ changed: flags.length }));
  diagnostics.listen('flags-unreadable', ({ flags }) => events.push({ unreadable: [...flags.keys()] }));
  const provider = { isStarting: true };
  const warnings: string[] = [];
  const life = {
    warn: (message: string) => warnings.push(message),
    closing: new AbortController().signal,
    isStarting: () => provider.isStarting,
  };
  const texts = [text];
  const store = {
    load: () => Promise.resolve(texts.at(-1)),
    save: (saved: string) => Promise.resolve(void texts.push(saved)),
  };
  const settings = {
    ...ORIGIN,
    http: { timeoutMs: 500 },
    watch: { pollMs: POLL_MS, maxAgeMs: 600_000, stream: false },
    snapshot: { store },
    evaluation: 'in-process' as const,
    initTimeoutMs: 5_000,
  };
  const opening = openSnapshotSource(send, settings, life, runtimeOf(clock, diagnostics));
  await manual.settle();
  const source = await opening;
  const { watch } = source;
  const answerOf = (flag: string) =>
    source.evaluate({ namespace: 'default', flag, entity: 'ann', attributes: {} });
  return { clock: manual, seen, events, warnings, texts, source, watch, provider, answerOf };
}

/** Returns a reference that does not keep its object in memory. */
const weakly = <T extends object>(held: T | undefined) => held && new WeakRef(held);

describe('a start with a long kept snapshot', () => {
  it('sends its ETag before its flags are read, and uses it if the service says that it is unchanged', async () => {
    const { seen, watch, events, answerOf } = await starting([reply(304)]);
    expect(seen.sent).toEqual([{ etag: 'one', turns: expect.any(Number) as number }]);
    expect(seen.sent[0]?.turns).toBeLessThanOrEqual(FEW_TURNS);
    expect(watch.snapshot()?.flags.keys().size).toBe(NAMES.length + 1);
    expect(watch.ageMs()).toBe(0);
    expect(answerOf('flag-1499')).toMatchObject({ enabled: true });
    expect(events).toEqual([{ unreadable: ['newer'] }]);
  });

  it.each([
    ['another', reply(200, bodyOf(false), { etag: 'two' }), false],
    ['the same', reply(200, bodyOf(true), { etag: 'one' }), true],
  ])('takes %s snapshot at once, and compares nothing', async (_what, served, enabled) => {
    const { watch, events, answerOf } = await starting([served]);
    expect(watch.ageMs()).toBe(0);
    expect(answerOf('flag-1499')).toMatchObject({ enabled });
    expect(events).toEqual([{ unreadable: ['newer'] }]);
  });

  it.each([
    ['another', reply(200, bodyOf(false), { etag: 'two' }), false],
    ['the same', reply(200, bodyOf(true), { etag: 'one' }), true],
  ])('takes %s snapshot in its place, and compares nothing', async (_what, served, enabled) => {
    let answer: (reply: Reply) => void = () => undefined;
    const answering = new Promise<Reply>((resolve) => (answer = resolve));
    const { clock, watch, events, answerOf } = await starting([answering]);
    await clock.advance(START_WAIT_MS);
    expect(answerOf('flag-0')).toMatchObject({ enabled: true });
    expect(watch.ageMs()).toBeGreaterThan(0);
    answer(served);
    await clock.settle();
    expect(watch.ageMs()).toBe(0);
    expect(answerOf('flag-1499')).toMatchObject({ enabled });
    expect(events).toEqual([{ unreadable: ['newer'] }]);
  });

  it('says that more than half of its flags are gone, whenever it has been read', async () => {
    const { namespace, flags } = bodyOf(false);
    const few = reply(200, { namespace, flags: flags.slice(0, 700) }, { etag: 'two' });
    let answer: (reply: Reply) => void = () => undefined;
    const answering = new Promise<Reply>((resolve) => (answer = resolve));
    const [early, late] = [await starting([few]), await starting([answering])];
    for (const { clock } of [early, late]) await clock.advance(START_WAIT_MS);
    answer(few);
    await late.clock.settle();
    for (const { events } of [early, late]) expect(events).toEqual([{ changed: 801 }]);
  });

  it('does not take a snapshot without flags in its place', async () => {
    const { answerOf } = await starting([reply(200, { flags: [] }, { etag: 'none' })]);
    expect(answerOf('flag-0')).toMatchObject({ enabled: true });
  });

  it('compares again once somebody knows the provider', async () => {
    const { clock, provider, events } = await starting([
      reply(304),
      reply(200, bodyOf(false), { etag: 'two' }),
    ]);
    provider.isStarting = false;
    await clock.advance(POLL_MS);
    expect(events).toContainEqual({ changed: NAMES.length });
  });

  it('uses it if the service does not answer', async () => {
    const { watch, answerOf } = await starting([refusedConnection]);
    expect(watch.ageMs()).toBeGreaterThan(0);
    expect(answerOf('flag-0')).toMatchObject({ enabled: true });
  });

  it('does not stay in memory once another snapshot is in force', async () => {
    let answer: (reply: Reply) => void = () => undefined;
    const answering = new Promise<Reply>((resolve) => (answer = resolve));
    const { clock, watch, answerOf } = await starting([answering]);
    await clock.advance(START_WAIT_MS);
    const kept = weakly(watch.snapshot());
    answer(reply(200, bodyOf(false), { etag: 'two' }));
    await clock.settle();
    expect(answerOf('flag-0')).toMatchObject({ enabled: false });
    await clock.advance(2 * POLL_MS);
    // A reference keeps its object until this turn ends.
    await new Promise(setImmediate);
    collectGarbage();
    expect(kept?.deref()).toBeUndefined();
  });

  it('asks for the whole snapshot if what the service calls unchanged is damaged here', async () => {
    const { seen, warnings, answerOf } = await starting(
      [reply(304), reply(200, bodyOf(false), { etag: 'two' })],
      DAMAGED,
    );
    expect(seen.sent.map(({ etag }) => etag)).toEqual(['one', undefined]);
    expect(answerOf('flag-0')).toMatchObject({ enabled: false });
    expect(warnings).toEqual([expect.stringContaining('it is damaged: its checksum does not match')]);
  });

  it('reads no flags of it while the service has still time to send its own', async () => {
    const served = reply(200, bodyOf(false), { etag: 'two' });
    const { clock, warnings } = await starting([served], DAMAGED);
    expect(warnings).toEqual([]);
    await clock.advance(START_WAIT_MS);
    expect(warnings).toEqual([expect.stringContaining('it is damaged')]);
  });

  it('saves no other snapshot in its place before it has been read', async () => {
    const { clock, texts } = await starting([reply(200, bodyOf(false), { etag: 'two' })]);
    await clock.advance(START_WAIT_MS - 1);
    expect(texts).toHaveLength(1);
    await clock.advance(1);
    expect(texts).toHaveLength(2);
  });

  it('is replaced when the provider is closed before it has been read', async () => {
    const { clock, source, texts } = await starting([reply(200, bodyOf(false), { etag: 'two' })]);
    await source.close();
    expect(texts).toHaveLength(2);
    await clock.advance(START_WAIT_MS);
    expect(texts).toHaveLength(2);
  });
});
