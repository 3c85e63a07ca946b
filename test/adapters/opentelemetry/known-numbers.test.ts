import { afterEach, describe, expect, it } from 'vitest';
import { observeProvider, type ObserveOptions } from '../../../src/adapters/opentelemetry/index.js';
import { eventually } from '../../eventually.fixture.js';
import { failing, living, withSnapshot } from '../../provider/status/living.fixture.js';
import { serving } from '../../provider/open.fixture.js';
import { answering, item, orMissing, type Script } from '../../servers/scripted.fixture.js';
import { scraped, type Scraped } from './scraped.fixture.js';

const well = answering(
  orMissing(({ flagKey }) =>
    flagKey === 'gone' ? item.missing(flagKey) : item.variant(flagKey, `${flagKey}-blue`),
  ),
);

let metrics: Scraped | undefined;
afterEach(() => metrics?.close());

async function observing(options: ObserveOptions = {}) {
  let script: Script = well;
  let snapshot = withSnapshot(['x']);
  const server = await serving(
    (request, response) => script(request, response),
    (request, response) => snapshot(request, response),
  );
  const { lifecycle, ...life } = living({
    url: server.url,
    environment: 'staging',
    http: { retries: 1 },
    batch: { maxWaiting: 2 },
  });
  const scrape = (metrics = scraped());
  const provider = { getStatus: lifecycle.status, onEvent: lifecycle.listen };
  const stop = observeProvider(provider, { meterProvider: scrape.meterProvider, ...options });
  return {
    ...life,
    lifecycle,
    server,
    stop,
    scrape,
    become: (next: Script) => (script = next),
    serveSnapshot: (...flags: Parameters<typeof withSnapshot>) => (snapshot = withSnapshot(...flags)),
  };
}

type Observing = Awaited<ReturnType<typeof observing>>;

/** Traffic with known numbers of everything. The expected values are counted by hand. */
async function knownTraffic({
  lifecycle,
  resolve,
  ended,
  clock,
  become,
  serveSnapshot,
  idle,
  turnUntil,
}: Observing) {
  await ended(lifecycle.start());
  await clock.settle();
  await eventually(async () => {
    await clock.settle();
    expect(lifecycle.status().watch?.polls).toBe(1);
  });
  await resolve('a', 'ann'); // a miss
  for (let hit = 0; hit < 3; hit++) await resolve('a', 'ann');
  await Promise.all([resolve('b', 'ann'), resolve('b', 'ann')]); // a miss, and one joins it
  await Promise.all(['c', 'd', 'e', 'f', 'g'].map((flag) => resolve(flag, 'ann'))); // 5 misses, 3 of them shed
  await resolve('gone', 'ann'); // a miss
  serveSnapshot(['x', 'y', 'z']);
  // In steps: a poll over a real socket would be given up if much time passed before its answer.
  for (let second = 0; second < 20; second++) {
    await clock.advance(1_000); // two flags change
    await idle();
  }
  await eventually(async () => {
    await clock.settle();
    expect(lifecycle.status().watch?.polls).toBe(2);
  });
  await resolve('a', 'ann'); // a stale hit
  await idle();
  become(failing);
  const failed = resolve('h', 'ann'); // a miss: two requests fail, and the check that they ask for
  await eventually(() => {
    expect(lifecycle.status().requests.failed).toEqual({ gateway: 1 });
  });
  await turnUntil(100, () => (lifecycle.status().requests.failed.gateway ?? 0) >= 3);
  await failed;
  await idle();
}

describe('known numbers', () => {
  it('are the same in the status and through the Prometheus exporter', async () => {
    const it = await observing();
    await knownTraffic(it);
    const { scrape, lifecycle, server } = it;
    const { cache, requests, overload, watch } = lifecycle.status();

    expect(cache).toMatchObject({ hits: 3, staleHits: 1, joined: 1, misses: 9, entries: 5 });
    const lookups = (result: string) =>
      scrape.sum('openfeature_flipt_cache_lookups_total', { openfeature_flipt_result: result });
    expect(await Promise.all(['hit', 'stale-hit', 'joined', 'miss'].map(lookups))).toEqual([3, 1, 1, 9]);
    expect(await scrape.sum('openfeature_flipt_cache_entries')).toBe(5);
    expect(await scrape.sum('openfeature_flipt_cache_size')).toBe(cache.bytes);

    expect(overload.shed).toBe(3);
    expect(await scrape.sum('openfeature_flipt_questions_shed_total')).toBe(3);

    expect(watch).toMatchObject({ polls: 2, failedPolls: 0, changedFlags: 2 });
    expect(await scrape.sum('openfeature_flipt_polls_total')).toBe(2);
    expect(await scrape.sum('openfeature_flipt_flags_changed_total')).toBe(2);
    expect(await scrape.sum('openfeature_flipt_snapshot_age')).toBe((watch?.ageMs ?? NaN) / 1_000);

    const sent = server.requests.length + 1; // the question for the version
    expect(requests).toMatchObject({ sent, retried: 1 });
    expect(await scrape.sum('openfeature_flipt_requests_total')).toBe(sent);
    // The question, its repetition, and the checks that they ask for.
    expect(requests.failed.gateway).toBeGreaterThanOrEqual(3);
    expect(await scrape.sum('openfeature_flipt_requests_total', { error_type: 'gateway' })).toBe(
      requests.failed.gateway,
    );
    expect(await scrape.sum('openfeature_flipt_retries_total', { error_type: 'gateway' })).toBe(1);
    expect(await scrape.sum('openfeature_flipt_request_duration_count')).toBe(sent);
  });

  it('count the flags that cannot be read', async () => {
    const { serveSnapshot, lifecycle, ended, clock, scrape } = await observing();
    serveSnapshot(['x'], [{ key: 'y', type: 'LIST_FLAG_TYPE' }]);
    await ended(lifecycle.start());
    await clock.settle();
    await eventually(async () => {
      await clock.settle();
      expect(lifecycle.status().watch?.polls).toBe(1);
    });
    expect(await scrape.sum('openfeature_flipt_flags_unreadable')).toBe(1);
  });

  it('distinguish resolves by source and outcome', async () => {
    const it = await observing();
    await knownTraffic(it);
    const resolves = (await it.scrape.series())
      .filter(({ name }) => name === 'openfeature_flipt_resolves_total')
      .map(({ labels, value }) => [
        labels.openfeature_flipt_source,
        labels.openfeature_flipt_outcome,
        labels.error_type,
        value,
      ]);
    expect(resolves.sort()).toEqual(
      [
        ['cache', 'ok', undefined, 4],
        ['service', 'ok', undefined, 5],
        ['service', 'missing', undefined, 1],
        ['service', 'failed', 'overload', 3],
        ['service', 'failed', 'gateway', 1],
      ].sort(),
    );
  });

  it('name provider, namespace and environment in the words of the semantic conventions, and no flag', async () => {
    const it = await observing();
    await knownTraffic(it);
    const series = await it.scrape.series();
    expect(series.length).toBeGreaterThan(30);
    for (const { labels } of series) {
      expect(labels).toMatchObject({
        feature_flag_provider_name: 'flipt',
        feature_flag_set_id: 'default',
        openfeature_flipt_environment: 'staging',
      });
      expect(labels).not.toHaveProperty('feature_flag_key');
    }
  });

  it('name a flag only if perFlag lists it', async () => {
    const it = await observing({ perFlag: ['a', 'h'] });
    await knownTraffic(it);
    const named = (await it.scrape.series()).filter(({ labels }) => labels.feature_flag_key !== undefined);
    expect(
      named
        .map(({ labels, value }) => [labels.feature_flag_key, labels.openfeature_flipt_source, value])
        .sort(),
    ).toEqual([
      ['a', 'cache', 4],
      ['a', 'service', 1],
      ['h', 'service', 1],
    ]);
    expect(await it.scrape.sum('openfeature_flipt_resolves_total')).toBe(14);
  });
});

describe('what is read at the moment', () => {
  it('is 1 for the condition and the circuit as they are', async () => {
    const { scrape, lifecycle, ended } = await observing();
    const state = (name: string, labels: string) =>
      scrape.sum(`openfeature_flipt_${name}`, { openfeature_flipt_state: labels });
    expect([await state('condition', 'not-started'), await state('condition', 'ready')]).toEqual([1, 0]);
    await ended(lifecycle.start());
    expect([await state('condition', 'not-started'), await state('condition', 'ready')]).toEqual([0, 1]);
    expect([await state('circuit', 'closed'), await state('circuit', 'open')]).toEqual([1, 0]);
  });

  it('has units as OpenTelemetry writes them', async () => {
    const it = await observing();
    await knownTraffic(it);
    const units = [...(await it.scrape.text()).matchAll(/^# UNIT (\w+) (.*)$/gm)].map(([, , unit]) => unit);
    expect([...new Set(units)].sort()).toEqual(
      [
        '1',
        'By',
        's',
        '{entry}',
        '{flag}',
        '{lookup}',
        '{poll}',
        '{question}',
        '{request}',
        '{resolve}',
      ].sort(),
    );
  });
});

describe('after it was stopped', () => {
  it('nothing is counted, and the layers are asked for no event', async () => {
    const it = await observing();
    await knownTraffic(it);
    it.stop();
    const before = await it.scrape.series();
    expect(before.filter(({ name }) => /_(entries|age|condition)$/.test(name))).toEqual([]);
    it.become(well);
    await it.resolve('a', 'ann');
    await it.resolve('j', 'ann');
    await it.idle();
    expect(await it.scrape.series()).toEqual(before);
    it.stop();
  });
});
