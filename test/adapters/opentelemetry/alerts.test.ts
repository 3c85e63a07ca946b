import { afterEach, describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../../src/index.js';
import { observeProvider } from '../../../src/adapters/opentelemetry/index.js';
import { fickleFlipt, fickleLife, type Fickle } from '../../provider/lost-flags/fickle.fixture.js';
import { ALERTS } from './alerts.fixture.js';
import { isFiring, type Scrape } from './promql.fixture.js';
import { scraped, type Scraped } from './scraped.fixture.js';

const SCRAPED_EVERY_MS = 15_000;

let metrics: Scraped | undefined;
afterEach(() => metrics?.close());

/** A provider of this Flipt that Prometheus scrapes. */
async function watched(flipt: Fickle, options: FliptProviderOptions) {
  const life = await fickleLife(flipt, options);
  metrics = scraped();
  const { meterProvider, series } = metrics;
  const { status, listen } = life.lifecycle;
  observeProvider({ getStatus: status, onEvent: listen }, { meterProvider });
  const scrapes: Scrape[] = [];
  return {
    /** The alerts that fire after so many minutes, during which users ask for these flags, or nobody asks. */
    firingAfter: async (minutes: number, flags: readonly string[]) => {
      for (let scrape = 0; scrape < minutes * 4; scrape++) {
        // All at once, so that Flipt may not keep up.
        const asked = flags.map((flag) => life.resolve(flag));
        await life.clock.advance(SCRAPED_EVERY_MS);
        await Promise.all(asked);
        scrapes.push({ atMs: life.clock.now(), series: await series() });
      }
      return [...ALERTS].flatMap(([name, { expression, forMs }]) =>
        isFiring(expression, forMs, scrapes) ? [name] : [],
      );
    },
  };
}

const GONE = ['FlagsStale', 'FliptUnreachable'];

describe('with and without traffic, the alerts say', () => {
  it.each<[string, Fickle['state'], readonly string[], 'in-process'?]>([
    ['nothing while all is well', 'good', []],
    ['that Flipt is gone', 'down', GONE],
    ['that Flipt is gone, in-process', 'down', GONE, 'in-process'],
    ['that Flipt is gone behind a gateway that fails', 'failing', GONE],
    ['that Flipt has lost its flags', 'unknown', ['FliptLostItsFlags', 'FlagsStale']],
    ['that Flipt has an empty database', 'empty', ['FliptLostItsFlags', 'FlagsStale']],
    ['that the token was revoked', 'refusing', ['FliptCredentialsRejected', 'FlagsStale']],
    ['that changes are not seen', 'unwatchable', ['FlagsStale']],
  ])('%s', async (_what, after, alerts, evaluation) => {
    for (const flags of [[], ['a', 'b']]) {
      const flipt = fickleFlipt();
      const { firingAfter } = await watched(flipt, { evaluation });
      expect(await firingAfter(3, flags)).toEqual([]);
      flipt.state = after;
      expect(await firingAfter(13, flags)).toEqual(alerts);
      flipt.state = 'good';
      expect(await firingAfter(3, flags)).toEqual([]);
    }
  });
});

it('the alerts say that Flipt was never reached', async () => {
  const flipt = fickleFlipt();
  flipt.state = 'down';
  const { firingAfter } = await watched(flipt, {});
  expect(await firingAfter(3, [])).toEqual(['FlagsNotServed', 'FliptUnreachable']);
  flipt.state = 'good';
  expect(await firingAfter(3, [])).toEqual([]);
});

it('the alerts say that Flipt does not keep up', async () => {
  const { firingAfter } = await watched(fickleFlipt(), {
    batch: { maxItems: 1, maxConcurrent: 1, maxWaiting: 1 },
    cache: { freshForMs: 0, staleForMs: 0 },
  });
  expect(await firingAfter(3, ['a'])).toEqual([]);
  expect(await firingAfter(6, ['a', 'a', 'a', 'b'])).toEqual(['FliptOverloaded']);
});
