import { ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it, vi } from 'vitest';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { KnownAnswer } from '../../../src/model/answer.js';
import { unconfirmedAnswers } from '../../../src/provider/snapshots/watched-cache.js';
import { manualClock } from '../../clock.fixture.js';
import { question } from '../../remote/cache/questions.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { signal } from '../../signal.fixture.js';
import { heldBack, localService, open } from '../open.fixture.js';

const flag = { key: 'sale', type: 'BOOLEAN_FLAG_TYPE' as const, enabled: true };

it.each([{ stream: false }, { stream: true }])(
  'a flag that changes between its answer and the first snapshot has its new value, and is announced (%j)',
  async ({ stream }) => {
    const service = await localService({ features: { flags: [flag] }, semantics: 'v2' });
    const { given: answered, give: goOn } = signal();
    const dispatcher = heldBack('/snapshot/', answered);
    const { client } = await open({ url: service.url, http: { dispatcher }, watch: { stream } });
    const changed = new Promise((resolve) => {
      client.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
        resolve([details?.flagsChanged, client.getBooleanValue('sale', true)]);
      });
    });
    expect(await client.getBooleanValue('sale', false)).toBe(true);
    await service.setFlag('default', 'sale', { enabled: false });
    goOn();
    const [flags, value] = (await changed) as [readonly string[], Promise<boolean>];
    expect([flags, await value]).toEqual([['sale'], false]);
  },
);

const ON: KnownAnswer = {
  kind: 'boolean',
  enabled: true,
  reason: 'DEFAULT',
  segmentKeys: [],
  requestId: '',
};

/** A watch whose snapshot contradicts each answer, unless the test says otherwise. */
function setUp() {
  const clock = manualClock();
  const diagnostics = openDiagnostics();
  const reported: (readonly string[])[] = [];
  diagnostics.listen('flags-changed', ({ flags }) => reported.push(flags));
  const its = { snapshot: {}, contradicts: true, confirmedAt: Infinity };
  const [poll, doubt] = [vi.fn(), vi.fn()];
  const opened = {
    contradicts: () => its.contradicts,
    doubt,
    watch: { snapshot: () => its.snapshot, confirmedAt: () => Math.min(clock.now(), its.confirmedAt), poll },
  };
  // Of the sources, only this is used.
  const sources = { opened: () => opened } as unknown as Parameters<typeof unconfirmedAnswers>[0];
  const add = unconfirmedAnswers(sources, { ...runtimeOf(clock, diagnostics), listen: diagnostics.listen });
  const polled = async (failure?: { kind: 'timeout'; message: string }) => {
    diagnostics.report({ type: 'snapshot-polled', durationMs: 1, failure });
    await clock.settle();
    return reported.splice(0);
  };
  return { clock, its, poll, doubt, add, polled };
}

describe('an answer that the snapshot contradicts', () => {
  it('is decided by a poll that began after it, which is sent at once after the first one', async () => {
    const { clock, poll, add, polled } = setUp();
    add(question('f'), ON);
    await clock.advance(10);
    expect([await polled(), poll.mock.calls.length]).toEqual([[], 1]);
    await clock.advance(10);
    expect([await polled(), poll.mock.calls.length]).toEqual([[['f']], 1]);
    add(question('g'), ON);
    await clock.advance(10);
    expect([await polled(), poll.mock.calls.length]).toEqual([[], 1]);
    expect(await polled({ kind: 'timeout', message: '' })).toEqual([]);
    expect(await polled()).toEqual([['g']]);
  });

  it('is not decided by what another instance has polled before', async () => {
    const { clock, its, add, polled } = setUp();
    await polled();
    its.confirmedAt = clock.now();
    await clock.advance(5);
    add(question('f'), ON);
    await clock.advance(5);
    await polled();
    await clock.advance(5);
    expect(await polled()).toEqual([]);
    its.confirmedAt = clock.now();
    expect(await polled()).toEqual([['f']]);
  });

  it('is reported once for a snapshot, of which the next poll fetches a whole one: a service may always disagree with it', async () => {
    const { clock, its, doubt, add, polled } = setUp();
    const round = async () => {
      await clock.advance(1);
      add(question('f'), ON);
      await clock.advance(1);
      return [...(await polled()), ...(await polled())];
    };
    await polled();
    expect([await round(), await round()]).toEqual([[['f']], []]);
    expect(doubt).toHaveBeenCalledOnce();
    its.snapshot = {};
    expect(await round()).toEqual([['f']]);
  });

  it('is forgotten once the snapshot agrees', async () => {
    const { clock, its, add, polled } = setUp();
    add(question('f'), ON);
    await clock.advance(1);
    its.contradicts = false;
    await polled();
    its.contradicts = true;
    expect([await polled(), await polled()]).toEqual([[], []]);
  });

  it('is kept with 499 others at most, and not with a large context', async () => {
    const { clock, add, polled } = setUp();
    add(question('large', 'u', { text: 'x'.repeat(2_001) }), ON);
    for (let at = 0; at < 600; at++) add(question(`f${at}`), ON);
    await clock.advance(1);
    await polled();
    await clock.advance(1);
    const [flags = []] = await polled();
    expect([flags.length, flags.includes('large')]).toEqual([500, false]);
  });
});
