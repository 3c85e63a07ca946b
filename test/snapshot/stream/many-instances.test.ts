import { expect, it } from 'vitest';
import { openAnnouncements } from '../../../src/snapshot/stream/announcements.js';
import { openWatch } from '../../../src/snapshot/watch/poll-watch.js';
import type { Reply } from '../../../src/http/reply.js';
import { SILENT } from '../../../src/model/events/reporter.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { bodyJson, fetching, reply } from '../fetched.fixture.js';

const BODY_MS = 100;

/** Instances that follow the stream of a service that needs 100 ms for a whole body. */
async function following(instances: number) {
  const clock = manualClock();
  let digest = 'digest-0';
  const served: number[] = [];
  const serve = async (tag: string | undefined): Promise<Reply> => {
    if (tag === digest) return reply(304);
    served.push(clock.now());
    const body = reply(200, bodyJson({ on: true }, { digest }), { etag: digest });
    return new Promise((resolve) => {
      clock.after(BODY_MS, () => {
        resolve(body);
      });
    });
  };
  const followers = Array.from({ length: instances }, (_, at) => {
    const { fetch } = fetching(({ headers }) => serve(headers?.['if-none-match']), clock);
    const settings = { fetch, pollMs: 3_600_000, patienceMs: 2_000 };
    const watch = openWatch(
      settings,
      runtimeOf(clock, SILENT, () => (at + 0.5) / instances),
    );
    return { watch, ...openAnnouncements(watch, clock) };
  });
  await clock.advance(BODY_MS);
  const change = (version: number) => {
    digest = `digest-${version}`;
    for (const { announced } of followers) announced(digest);
  };
  const versions = () => new Set(followers.map(({ watch }) => watch.snapshot()?.version));
  return { clock, served, change, versions };
}

it('sixty instances do not fetch an announced change together', async () => {
  const { clock, served, change, versions } = await following(60);
  await clock.advance(60_000);
  served.length = 0;
  change(1);
  await clock.advance(2_000 + BODY_MS);

  expect(versions()).toEqual(new Set(['digest-1']));
  expect(served).toHaveLength(60);
  const inTheFirstTenth = served.filter((at) => at < Math.min(...served) + 200);
  expect(inTheFirstTenth.length).toBeLessThan(10);
});

it('one instance takes at most 5 % of the time of a service that changes all the time', async () => {
  const { clock, served, change, versions } = await following(1);
  served.length = 0;
  const seconds = 120;
  for (let at = 1; at <= seconds * 4; at++) {
    change(at);
    await clock.advance(250);
  }
  const share = (served.length * BODY_MS) / (seconds * 1000);
  expect(share).toBeLessThan(0.05);
  expect(share).toBeGreaterThan(0.02);

  await clock.advance(10_000);
  expect(versions()).toEqual(new Set([`digest-${seconds * 4}`]));
});
