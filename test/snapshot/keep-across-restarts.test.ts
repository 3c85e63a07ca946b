import { describe, expect, it } from 'vitest';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import type { Reply, Send, ServiceRequest } from '../../src/http/reply.js';
import type { Failure } from '../../src/model/failure.js';
import { openSnapshotSource } from '../../src/snapshot/snapshot-source.js';
import { decodeKept } from './kept-text.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { manualClock, type ManualClock } from '../clock.fixture.js';
import { INFO_PATH } from '../servers/scripted.fixture.js';
import { bodyJson, refusedConnection, reply } from './fetched.fixture.js';
import { POLL_MS } from './watch/watched.fixture.js';

const ORIGIN = { url: 'http://flipt.test', namespace: 'default', environment: undefined };
const WITH_ETAG = reply(200, bodyJson({ a: true }), { etag: 'one' });
const WITHOUT_ETAG = reply(200, bodyJson({ a: true }));
const UNCHANGED = reply(304);
const EVERY_5_MINUTES = 300_000;

/** Snapshots of a service with the test's answers, kept in memory. */
async function keeping(
  first: Reply | Failure,
  clock: ManualClock = manualClock(),
  texts: string[] = [],
  evaluation?: 'remote',
) {
  const it = { answer: first, isFull: false };
  const store = {
    load: () => Promise.resolve(texts.at(-1)),
    save: (text: string) => {
      if (it.isFull) return Promise.reject(new Error('disk full'));
      texts.push(text);
      return Promise.resolve();
    },
  };
  const settings = {
    ...ORIGIN,
    http: { timeoutMs: 500 },
    watch: { pollMs: POLL_MS, maxAgeMs: 600_000, stream: false },
    snapshot: { store },
    evaluation,
    initTimeoutMs: 5_000,
  };
  const diagnostics = openDiagnostics();
  const conditions: string[] = [];
  diagnostics.listen('watch-changed', ({ state }) => conditions.push(state));
  const warnings: string[] = [];
  const life = { warn: (message: string) => warnings.push(message), closing: new AbortController().signal };
  const sent: ServiceRequest[] = [];
  const send: Send = (request) => {
    if (request.path !== INFO_PATH) sent.push(request);
    return Promise.resolve(it.answer);
  };
  const snapshots = await openSnapshotSource(send, settings, life, runtimeOf(clock, diagnostics));
  const kept = () => decodeKept(texts.at(-1) ?? '', ORIGIN);
  await clock.settle();
  return { clock, it, sent, snapshots, texts, kept, warnings, conditions };
}

describe('a kept snapshot', () => {
  it('has the date of the last confirmation, not of the last change, once the provider is closed', async () => {
    const { clock, it, snapshots, texts, kept } = await keeping(WITH_ETAG);
    await clock.advance(0);
    it.answer = UNCHANGED;
    await clock.advance(4 * POLL_MS);
    const confirmedAt = clock.date();
    it.answer = refusedConnection;
    await clock.advance(POLL_MS);
    expect(texts).toHaveLength(1);
    await snapshots.close();
    expect(texts).toHaveLength(2);
    expect(kept()).toMatchObject({ confirmedAt, version: 'one', etag: 'one' });
  });

  it('gets the date of a confirmation every five minutes, for a process that is killed', async () => {
    const { clock, it, texts, kept } = await keeping(WITH_ETAG);
    await clock.advance(0);
    it.answer = UNCHANGED;
    await clock.advance(EVERY_5_MINUTES - 1);
    expect(texts).toHaveLength(1);
    await clock.advance(1);
    expect(texts).toHaveLength(2);
    expect(kept()).toMatchObject({ confirmedAt: clock.date() });
  });

  it('that could not be saved is saved half a minute later, and not only at the next change', async () => {
    const { clock, it, texts, warnings } = await keeping(WITH_ETAG);
    await clock.advance(0);
    it.isFull = true;
    it.answer = reply(200, bodyJson({ a: false }), { etag: 'two' });
    await clock.advance(POLL_MS);
    expect(warnings).toEqual([expect.stringContaining('disk full')]);
    it.isFull = false;
    it.answer = UNCHANGED;
    await clock.advance(2 * POLL_MS);
    expect(texts).toHaveLength(2);
    await clock.advance(EVERY_5_MINUTES - 1);
    expect(texts).toHaveLength(2);
  });

  it('that could not be saved is saved by the close, also if no poll has confirmed it since', async () => {
    const { clock, it, snapshots, texts, kept } = await keeping(WITH_ETAG);
    await clock.advance(0);
    it.isFull = true;
    it.answer = reply(200, bodyJson({ a: false }), { etag: 'two' });
    await clock.advance(POLL_MS);
    it.isFull = false;
    await snapshots.close();
    expect(texts).toHaveLength(2);
    expect(kept()).toMatchObject({ etag: 'two' });
  });

  it('is not written at each poll if the service sends no ETag', async () => {
    const { clock, it, texts } = await keeping(WITHOUT_ETAG);
    await clock.advance(EVERY_5_MINUTES - 1);
    expect(texts).toHaveLength(1);
    it.answer = reply(200, bodyJson({ a: false }));
    await clock.advance(POLL_MS);
    expect(texts).toHaveLength(2);
  });

  it('is as old after a restart as it was before', async () => {
    const { clock, snapshots, texts } = await keeping(WITH_ETAG);
    await clock.advance(0);
    await snapshots.close();
    await clock.advance(40_000);
    const again = await keeping(refusedConnection, clock, texts);
    expect(again.snapshots.watch.confirmedAt()).toBe(clock.now() - 40_000);
    expect(again.snapshots.watch.lostForMs()).toBeLessThan(0);
    await clock.advance(5_000);
    expect(again.snapshots.watch.lostForMs()).toBe(0);
  });

  it('is written soon after a restart, when an old one is confirmed', async () => {
    const { clock, snapshots, texts } = await keeping(WITH_ETAG);
    await clock.advance(0);
    await snapshots.close();
    await clock.advance(EVERY_5_MINUTES);
    const again = await keeping(UNCHANGED, clock, texts);
    await clock.advance(0);
    expect(texts).toHaveLength(2);
    expect(again.kept()).toMatchObject({ confirmedAt: clock.date() });
  });
});

describe('a start in remote mode with an old kept snapshot', () => {
  it('does not report a lost watch before its first poll has failed', async () => {
    const { clock, snapshots, texts } = await keeping(WITH_ETAG);
    await clock.advance(0);
    await snapshots.close();
    await clock.advance(100 * POLL_MS);
    const next = await keeping(UNCHANGED, clock, texts, 'remote');
    expect(next.snapshots.watch.lostForMs()).toBeGreaterThan(0);
    await clock.advance(POLL_MS);
    expect(next.conditions).toEqual(['working']);
    await next.snapshots.close();
    await clock.advance(100 * POLL_MS);
    const failing = await keeping(refusedConnection, clock, texts, 'remote');
    await clock.advance(POLL_MS);
    expect(failing.conditions).toEqual(['lost']);
    await failing.snapshots.close();
    expect(clock.timers()).toBe(0);
  });
});
