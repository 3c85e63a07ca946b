import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/http/reply.js';
import { collectGarbage } from '../../garbage.fixture.js';
import { reply } from '../fetched.fixture.js';
import { BODY, EVEN_BODY, LEFT_OUT, NEW, OLD, POLL_MS, watched } from './versions.fixture.js';

const MINUTE = 60_000;

describe('the question for the version, where an upgrade changes answers', () => {
  it('is sent beside polls while Flipt is older than 2.9: a restart between two polls fails none', async () => {
    const { clock, service, snapshots } = await watched(OLD);
    await clock.advance(60 * MINUTE);
    service.info = NEW;
    await clock.advance(1.2 * POLL_MS);
    expect([snapshots.semantics(), snapshots.without()]).toEqual(['v2', 0]);
    expect(snapshots.changed).toEqual([['uneven']]);
    await snapshots.close();
  });

  it.each<[string, Outcome, object, number]>([
    ['from 2.9 on', NEW, BODY, 39 + 2],
    ['if it wants other credentials', reply(401, {}), BODY, 40 + 2 * 2],
    ['if nobody may read the version', reply(403, {}), BODY, 39 + 2],
    ['if all releases answer the same', OLD, EVEN_BODY, 1 + 2],
  ])('is sent so often for ten minutes at most %s', async (_what, info, body, questions) => {
    const { clock, service, snapshots } = await watched(info, body);
    await clock.advance(29 * MINUTE);
    expect(service.questions).toBe(questions);
    await snapshots.close();
  });

  it('is sent again so often when Flipt was away, as during a rolling upgrade that is undone', async () => {
    const { clock, service, snapshots, returned } = await watched(NEW);
    await clock.advance(30 * MINUTE);
    await returned();
    await clock.advance(MINUTE);
    service.info = OLD;
    await clock.advance(1.2 * POLL_MS);
    expect([snapshots.semantics(), snapshots.without()]).toEqual(['v2.8', LEFT_OUT]);
    await snapshots.close();
  });

  it('is sent when the first one was not answered', async () => {
    const { clock, service, snapshots } = await watched(reply(503, 'no'));
    service.info = OLD;
    await clock.advance(1.2 * POLL_MS);
    expect(snapshots.semantics()).toBe('v2.8');
    await snapshots.close();
  });

  it('is sent every ten seconds at most, however often Flipt is polled', async () => {
    const { clock, service, snapshots } = await watched(OLD, BODY, 1_000);
    await clock.advance(MINUTE);
    expect(service.polls).toBeGreaterThan(60);
    expect(service.questions).toBe(7);
    await snapshots.close();
  });

  it('is sent, and answered by the right rules, when v2.8 follows on v1 between two polls', async () => {
    const v1 = reply(200, { version: 'v1.61.1', isRelease: true });
    const { digest, ...ofV1 } = BODY;
    const { clock, service, snapshots } = await watched(v1, ofV1);
    await clock.advance(30 * MINUTE);
    service.info = OLD;
    service.body = { ...ofV1, digest };
    service.etag = 'another';
    await clock.advance(1.2 * POLL_MS);
    expect([snapshots.semantics(), snapshots.without()]).toEqual(['v2.8', LEFT_OUT]);
    await snapshots.close();
  });

  it('keeps no snapshot that has been replaced', async () => {
    const { clock, service, snapshots } = await watched(NEW);
    await clock.advance(20 * MINUTE);
    const first = new WeakRef(snapshots.watch.snapshot() as object);
    service.body = EVEN_BODY;
    service.etag = 'another';
    await clock.advance(1.2 * POLL_MS);
    await clock.advance(1.2 * POLL_MS);
    expect(snapshots.changed).toEqual([['uneven']]);
    // A reference keeps its object until this turn ends.
    await new Promise(setImmediate);
    collectGarbage();
    expect(first.deref()).toBeUndefined();
    await snapshots.close();
  });
});
