import { afterEach, describe, expect, it } from 'vitest';
import type { FliptEvent, FliptProviderOptions } from '../../../src/index.js';
import { observeProvider } from '../../../src/adapters/opentelemetry/index.js';
import { refusing } from '../../provider/changing.fixture.js';
import { recordingLogger, serving } from '../../provider/open.fixture.js';
import { living, withSnapshot } from '../../provider/status/living.fixture.js';
import { answering, answerJson, item, orMissing, type Script } from '../../servers/scripted.fixture.js';
import { ALERTS } from './alerts.fixture.js';
import { evaluated, isFiring, type Scrape } from './promql.fixture.js';
import { scraped, type Scraped } from './scraped.fixture.js';

const SCRAPED_EVERY_MS = 15_000;
/** Shorter than `http.timeoutMs`. */
const STEP_MS = 250;
const REJECTED = /^Flipt rejected the credentials \(/;

const well = answering(orMissing(({ flagKey }) => item.boolean(flagKey)));
const forbidding: Script = (_, response) => {
  answerJson(response, { code: 7, message: 'permission denied' }, 403);
};

let metrics: Scraped | undefined;
afterEach(() => metrics?.close());

/** A provider with a snapshot, which Prometheus scrapes. `answers` and `snapshots` may change while it runs. */
async function running(options: FliptProviderOptions) {
  const service = { answers: well, snapshots: withSnapshot(['new-checkout']) };
  const server = await serving(
    (request, response) => service.answers(request, response),
    (request, response) => service.snapshots(request, response),
  );
  const logger = recordingLogger();
  const auth = { token: 'a-token' };
  const { lifecycle, clock, ended, turnUntil, resolve } = living({
    url: server.url,
    auth,
    logger,
    ...options,
  });
  const events: FliptEvent[] = [];
  lifecycle.listen((event) => events.push(event), ['health-changed']);
  metrics = scraped();
  const { meterProvider, series } = metrics;
  observeProvider({ getStatus: lifecycle.status, onEvent: lifecycle.listen }, { meterProvider });
  await ended(lifecycle.start());
  await ended(lifecycle.current()?.refresh());
  await turnUntil(1_000, () => lifecycle.status().watch?.condition === 'working');
  const scrapes: Scrape[] = [];
  return {
    service,
    lifecycle,
    events,
    resolve,
    requests: server.requests,
    warnings: () => logger.warn.mock.calls.map(([line]) => String(line)),
    /** Time passes, and Prometheus scrapes. */
    minutes: async (count: number) => {
      const until = clock.now() + count * 60_000;
      while (clock.now() < until) {
        const scrapedAt = clock.now() + SCRAPED_EVERY_MS;
        await turnUntil(STEP_MS, () => clock.now() >= scrapedAt);
        if (options.watch !== undefined) await ended(lifecycle.current()?.refresh());
        scrapes.push({ atMs: clock.now(), series: await series() });
      }
    },
    firing: () =>
      [...ALERTS].flatMap(([name, { expression, forMs }]) =>
        isFiring(expression, forMs, scrapes) ? [name] : [],
      ),
  };
}

const MODES: readonly (readonly [string, FliptProviderOptions])[] = [
  ['in remote mode', {}],
  ['in-process', { evaluation: 'in-process' }],
];

describe.each(MODES)('a token that is revoked while the app runs, %s', (_, options) => {
  it('is seen, although nobody asks for a flag that is not known', async () => {
    const { service, lifecycle, events, resolve, warnings, minutes, firing } = await running(options);
    await resolve('new-checkout', 'user-1');
    await minutes(3);
    expect(firing()).toEqual([]);
    expect(lifecycle.status()).toMatchObject({ condition: 'ready', problems: [] });

    Object.assign(service, { answers: refusing, snapshots: refusing });
    await minutes(3);
    const problems = ['credentials-rejected', 'watch-lost'];
    expect(lifecycle.status()).toMatchObject({ condition: 'stale', problems });
    expect(await resolve('new-checkout', 'user-1')).toMatchObject({ answer: { enabled: true } });
    expect(warnings().filter((line) => REJECTED.test(line))).toHaveLength(1);
    expect(events).toEqual([
      { type: 'health-changed', before: [], after: ['credentials-rejected'], starting: false },
      { type: 'health-changed', before: ['credentials-rejected'], after: problems, starting: false },
    ]);
    expect(firing()).toEqual(['FliptCredentialsRejected']);

    Object.assign(service, { answers: well, snapshots: withSnapshot(['new-checkout']) });
    await minutes(3);
    expect(lifecycle.status()).toMatchObject({ condition: 'ready', problems: [] });
    expect(warnings()).toContain('Flipt answers again');
    expect(firing()).toEqual([]);
  });

  it('is not blamed if Flipt refuses only the snapshot', async () => {
    const { service, lifecycle, events, warnings, minutes, firing } = await running(options);
    service.snapshots = forbidding;
    await minutes(2);
    expect(lifecycle.status()).toMatchObject({ condition: 'stale', problems: ['watch-lost'] });
    expect(events).toEqual([{ type: 'health-changed', before: [], after: ['watch-lost'], starting: false }]);
    expect(warnings().some((line) => REJECTED.test(line))).toBe(false);
    expect(firing()).toEqual([]);
  });
});

describe('the alerts of the example', () => {
  it('are all in the part of PromQL that is evaluated here', () => {
    expect([...ALERTS.keys()]).toEqual([
      'FlagsNotServed',
      'FliptCredentialsRejected',
      'FliptLostItsFlags',
      'FlagsStale',
      'FliptUnreachable',
      'FliptOverloaded',
    ]);
    for (const { expression } of ALERTS.values()) expect(evaluated(expression, [])).toEqual([]);
  });

  it('name metrics and labels that there are', async () => {
    await running({});
    const series = (await metrics?.series()) ?? [];
    for (const { expression } of ALERTS.values()) {
      const name = /openfeature_\w+/.exec(expression)?.[0];
      const label = /\{(\w+)=/.exec(expression)?.[1];
      // A counter has no series before it counts.
      if (label === undefined) continue;
      expect(
        series.some((one) => one.name === name && label in one.labels),
        expression,
      ).toBe(true);
    }
  });
});

it.each<[string, readonly number[], boolean]>([
  ['holds at each scrape', [1, 1, 1], true],
  ['began to hold later', [0, 1, 1], false],
  ['has stopped', [1, 1, 0], false],
])('an alert that %s', (_, values, expected) => {
  const scrapes = values.map((value, at) => ({
    atMs: at * 30_000,
    series: [{ name: 'a', labels: { b: 'c' }, value }],
  }));
  expect(isFiring('a{b="c"} == 1', 60_000, scrapes)).toBe(expected);
  expect(isFiring('a{b="d"} == 1', 60_000, scrapes)).toBe(false);
  expect(isFiring('rate(a{b="c"}[5m]) > 0', 0, scrapes)).toBe(values[0] === 0);
});
