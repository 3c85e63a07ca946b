import { describe, expect, it, vi } from 'vitest';
import { startLocalService } from '../../../src/local/index.js';
import { changing, good } from '../changing.fixture.js';
import { recordingLogger, refusedAddress, serving } from '../open.fixture.js';
import { answerJson, type Script } from '../../servers/scripted.fixture.js';
import { eventually } from '../../eventually.fixture.js';
import { failing, living, withSnapshot } from './living.fixture.js';

describe('the status', () => {
  it('is complete before the start', async () => {
    const { lifecycle } = living({ url: await refusedAddress(), environment: 'production' });
    expect(lifecycle.status()).toEqual({
      condition: 'not-started',
      since: '2024-01-01T00:00:00.000Z',
      why: null,
      problems: [],
      namespace: 'default',
      environment: 'production',
      fliptVersion: null,
      evaluation: 'remote',
      circuit: { state: 'closed', since: null },
      overload: { since: null, shed: 0 },
      watch: {
        mode: 'poll',
        condition: null,
        version: null,
        semantics: null,
        flags: null,
        unreadable: { count: 0, flags: [] },
        confirmedAt: null,
        ageMs: null,
        nextPollAt: null,
        seenWithinMs: 18_000,
        stream: null,
        polls: 0,
        failedPolls: 0,
        changedFlags: 0,
      },
      store: null,
      cache: { entries: 0, bytes: 0, hits: 0, staleHits: 0, joined: 0, misses: 0 },
      requests: { sent: 0, failed: {}, retried: 0, inFlight: 0, waiting: 0 },
      tracking: null,
    });
  });

  it('is plain JSON at any time', async () => {
    const { server, become } = await changing(good);
    const { lifecycle, ended, resolve } = living({ url: server.url, watch: false });
    const statuses = [lifecycle.status()];
    await ended(lifecycle.start());
    await resolve('a', 'ann');
    statuses.push(lifecycle.status());
    become(failing);
    await resolve('b', 'ann');
    statuses.push(lifecycle.status());
    await ended(lifecycle.close());
    statuses.push(lifecycle.status());
    expect(statuses.map(({ condition }) => condition)).toEqual(['not-started', 'ready', 'ready', 'closed']);
    for (const status of statuses) expect(JSON.parse(JSON.stringify(status))).toStrictEqual(status);
  });

  it('counts no poll of an unchanged snapshot as failed', async () => {
    const service = await startLocalService({
      features: { flags: [{ key: 'a', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
    });
    const { lifecycle, ended, clock } = living({ url: service.url });
    await ended(lifecycle.start());
    const polled = (polls: number) =>
      eventually(async () => {
        await clock.settle();
        expect(lifecycle.status().watch?.polls).toBe(polls);
      });
    await clock.advance(250);
    await polled(1);
    lifecycle.forget(); // polls
    await polled(2);
    const { sent, failed } = lifecycle.status().requests;
    expect({ sent, failed }).toEqual({ sent: 5, failed: {} });
    await lifecycle.close();
    await service.close();
  });

  it('counts what the cache found and what was sent', async () => {
    const { server, become } = await changing(good);
    const { lifecycle, ended, resolve, clock, idle } = living({ url: server.url, watch: false });
    await ended(lifecycle.start());
    await resolve('a', 'ann');
    await resolve('a', 'ann');
    const both = [resolve('b', 'ann'), resolve('b', 'ann')];
    expect(lifecycle.status().requests).toMatchObject({ waiting: 1 });
    await Promise.all(both);
    await clock.advance(20_000);
    await resolve('a', 'ann');
    await idle();
    become(failing);
    await resolve('c', 'ann');
    await idle();
    const { cache, requests } = lifecycle.status();
    expect(cache).toMatchObject({ entries: 2, hits: 1, staleHits: 1, joined: 1, misses: 3 });
    expect(cache.bytes).toBeGreaterThan(800);
    // The start, `a`, `b`, the refresh of `a`, `c`, and the check that its failure asks for.
    expect(requests).toMatchObject({ sent: 6, retried: 0, waiting: 0 });
    expect(requests.failed).toEqual({ gateway: 2 });
  });

  it('shows requests under way', async () => {
    const server = await serving(() => undefined);
    const { lifecycle, clock } = living({ url: server.url, watch: false });
    const coming = Promise.resolve(lifecycle.current()?.evaluate('a', { targetingKey: 'ann' }));
    await clock.settle();
    expect(lifecycle.status().requests).toMatchObject({ sent: 1, inFlight: 1 });
    await eventually(() => server.requests.length === 1);
    await clock.advance(500);
    await eventually(() => server.requests.length === 2);
    await clock.advance(500);
    await coming;
    // The question, and a check that has timed out after it; another one is under way.
    expect(lifecycle.status().requests).toEqual({
      sent: 3,
      failed: { timeout: 2 },
      retried: 0,
      inFlight: 1,
      waiting: 0,
    });
  });

  it('still counts requests that a close ends', async () => {
    const server = await serving(() => undefined);
    const { lifecycle, clock, ended } = living({ url: server.url, watch: false });
    const coming = lifecycle.current()?.evaluate('a', { targetingKey: 'ann' });
    await clock.settle();
    const closed = lifecycle.close();
    expect(lifecycle.status()).toMatchObject({ condition: 'closed', requests: { sent: 1 } });
    await ended(closed);
    await coming;
    expect(lifecycle.status().requests).toMatchObject({ sent: 1, inFlight: 0 });
  });

  it('names the condition, since when, and why', async () => {
    const { server, become } = await changing(failing);
    const { lifecycle, ended, clock, turnUntil } = living({
      url: server.url,
      watch: false,
      initTimeoutMs: 50,
      breaker: false,
    });
    await clock.advance(1_000);
    const starting = lifecycle.start();
    expect(lifecycle.status()).toMatchObject({ condition: 'starting', since: '2024-01-01T00:00:01.000Z' });
    await turnUntil(10, () => lifecycle.status().condition === 'error');
    await starting;
    expect(lifecycle.status()).toMatchObject({ circuit: null });
    expect(lifecycle.status().why).toContain('503');
    become(good);
    await turnUntil(1_000, () => lifecycle.status().condition !== 'error');
    expect(lifecycle.status()).toMatchObject({ condition: 'ready', why: null });
    await ended(lifecycle.close());
    expect(lifecycle.status()).toMatchObject({ condition: 'closed', why: null, circuit: null, watch: null });
  });

  it('shows the circuit, and since when', async () => {
    const server = await serving(failing);
    const { lifecycle, resolve, clock, idle } = living({
      url: server.url,
      watch: false,
      breaker: { failures: 1 },
    });
    await clock.advance(5_000);
    await resolve('a', 'ann');
    await idle();
    expect(lifecycle.status()).toMatchObject({
      condition: 'error',
      circuit: { state: 'open', since: '2024-01-01T00:00:05.000Z' },
    });
  });

  it('shows that changes are found by polls where there is no stream, and the log names the version', async () => {
    const version: Script = (_, response) => {
      answerJson(response, { version: 'v2.8.0' });
    };
    const server = await serving(
      (request, response) =>
        request.path.endsWith('/stream') ? response.writeHead(404).end() : good(request, response),
      withSnapshot(['a']),
      version,
    );
    const logger = recordingLogger();
    const { lifecycle, ended } = living({ url: server.url, watch: { stream: true }, logger });
    await ended(lifecycle.start());
    await eventually(() => logger.warn.mock.calls.length > 0);
    expect(lifecycle.status().watch).toMatchObject({ mode: 'poll', stream: 'not-offered' });
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(
        /^watch\.stream has no effect.* 404 with an empty body; Flipt's version is v2\.8\.0$/,
      ),
    );
  });

  it('shows the watch: version, flags, confirmation, next poll and changes', async () => {
    let script = withSnapshot(['a']);
    const server = await serving(good, (request, response) => script(request, response));
    const { lifecycle, ended, clock } = living({ url: server.url, evaluation: 'in-process' });
    await ended(lifecycle.start());
    const first = {
      mode: 'poll',
      condition: 'working',
      version: 'tag-1',
      flags: 1,
      polls: 1,
      failedPolls: 0,
    };
    expect(lifecycle.status()).toMatchObject({
      evaluation: 'in-process',
      watch: {
        ...first,
        confirmedAt: '2024-01-01T00:00:00.000Z',
        ageMs: 0,
        nextPollAt: '2024-01-01T00:00:15.000Z',
        seenWithinMs: 18_000,
      },
    });
    script = withSnapshot(['a', 'b', 'c']);
    await clock.advance(15_000);
    expect(lifecycle.status().watch).toMatchObject({ ageMs: 15_000, nextPollAt: null });
    await eventually(async () => {
      await clock.settle();
      expect(lifecycle.status().watch).toMatchObject({ ageMs: 0, flags: 3, polls: 2, changedFlags: 2 });
    });
    script = failing;
    await clock.advance(15_000);
    await eventually(async () => {
      await clock.settle();
      expect(lifecycle.status().watch).toMatchObject({ flags: 3, polls: 3, failedPolls: 1 });
    });
  });

  it('shows a store that fails, and when one has saved', async () => {
    const server = await serving(good, withSnapshot(['a']));
    const save = vi.fn(() => Promise.reject(new Error('full')));
    const store = { load: () => Promise.resolve(undefined), save };
    const { lifecycle, ended, clock } = living({
      url: server.url,
      evaluation: 'in-process',
      snapshot: { store },
    });
    await ended(lifecycle.start());
    await clock.advance(0);
    await eventually(() => {
      expect(lifecycle.status().store).toEqual({ isFailing: true, savedAt: null });
    });
    save.mockImplementation(() => Promise.resolve(undefined as never));
    await lifecycle.current()?.close();
  });

  it('keeps its counts when the provider is closed and starts again, with new states', async () => {
    const server = await serving(good);
    const { lifecycle, ended, resolve } = living({ url: server.url, watch: false });
    await ended(lifecycle.start());
    await resolve('a', 'ann');
    await resolve('a', 'ann');
    await ended(lifecycle.close());
    expect(lifecycle.status()).toMatchObject({
      cache: { entries: 0, hits: 1, misses: 1 },
      requests: { sent: 2 },
    });
    await ended(lifecycle.start());
    expect(lifecycle.status()).toMatchObject({ condition: 'ready', cache: { entries: 0, hits: 1 } });
    await resolve('a', 'ann');
    await resolve('a', 'ann');
    expect(lifecycle.status().cache).toMatchObject({ entries: 1, hits: 2, misses: 2 });
  });
});
