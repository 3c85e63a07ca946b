import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/http/reply.js';
import { manualClock } from '../../clock.fixture.js';
import { refusedConnection, reply } from '../fetched.fixture.js';
import {
  BODY,
  EVEN_BODY,
  LEFT_OUT,
  NEW,
  OLD,
  POLL_MS,
  release,
  upgradable,
  watched,
  watchingVersions,
} from './versions.fixture.js';

const MINUTE = 60_000;

describe('the rules by which a snapshot of v2 is read', () => {
  it.each<[string, Outcome, 'v2.8' | 'v2', string | undefined]>([
    ['v2.8.0', OLD, 'v2.8', 'v2.8.0'],
    ['2.8.0, as some builds write it', release('2.8.0'), 'v2.8', '2.8.0'],
    ['v2.11.0', NEW, 'v2', 'v2.11.0'],
    ['a development build', release('v2.0.0-dev', false), 'v2', 'v2.0.0-dev'],
    ['a build without a number', release('dev', false), 'v2', undefined],
    ['401', reply(401, { code: 16 }), 'v2', undefined],
    ['404', reply(404, { code: 5 }), 'v2', undefined],
    ['500', reply(500, { code: 13 }), 'v2', undefined],
    ['a page', reply(200, '<html>Log in</html>'), 'v2', undefined],
    ['another document', reply(200, { build: { version: 2.8, isRelease: true } }), 'v2', undefined],
    ['null', reply(200, 'null'), 'v2', undefined],
    ['nothing', refusedConnection, 'v2', undefined],
  ])('%s', async (_what, info, semantics, version) => {
    const { snapshots } = await watched(info);
    expect(snapshots.semantics()).toBe(semantics);
    expect(snapshots.without()).toBe(semantics === 'v2.8' ? LEFT_OUT : 0);
    expect(snapshots.fliptVersion()).toBe(version);
    await snapshots.close();
  });

  it('are the newest ones until the answer comes: nothing waits for it', async () => {
    let answer: (info: Outcome) => void = () => undefined;
    const { clock, service, snapshots } = await watched(new Promise((resolve) => (answer = resolve)));
    expect([snapshots.semantics(), service.polls]).toEqual(['v2', 1]);
    answer(OLD);
    await clock.advance(1);
    expect([snapshots.semantics(), service.polls]).toEqual(['v2.8', 2]);
    expect(snapshots.changed).toEqual([['uneven']]);
    await snapshots.close();
  });

  it('change with an upgrade behind the same ETag, of only the flags that it concerns', async () => {
    const { service, snapshots, returned } = await watched(OLD);
    service.info = NEW;
    await returned();
    expect([snapshots.semantics(), snapshots.without()]).toEqual(['v2', 0]);
    expect(snapshots.changed).toEqual([['uneven']]);
    expect(snapshots.fliptVersion()).toBe('v2.11.0');
    await snapshots.close();
  });

  it('change at most once a minute, and then to what was said last', async () => {
    const { clock, service, snapshots, returned } = await watched(OLD);
    service.info = NEW;
    await returned();
    service.info = OLD;
    await returned();
    expect(snapshots.semantics()).toBe('v2');
    expect(snapshots.fliptVersion()).toBe('v2.8.0');
    await clock.advance(MINUTE);
    expect(snapshots.semantics()).toBe('v2.8');
    expect(snapshots.changed).toEqual([['uneven'], ['uneven']]);
    await snapshots.close();
  });

  it.each<[string, Outcome]>([
    ['no connection', refusedConnection],
    ['503', reply(503, 'no')],
    ['401', reply(401, {})],
  ])('stay where Flipt does not answer the question: %s', async (_what, info) => {
    const { service, snapshots, returned } = await watched(OLD);
    service.info = info;
    await returned();
    expect(snapshots.semantics()).toBe('v2.8');
    await snapshots.close();
  });

  it.each<[string, Outcome]>([
    ['404', reply(404, {})],
    ['a page', reply(200, '<html></html>')],
  ])('become the newest with an answer that names no release: %s', async (_what, info) => {
    const { service, snapshots, returned } = await watched(OLD);
    service.info = info;
    await returned();
    expect([snapshots.semantics(), snapshots.fliptVersion()]).toEqual(['v2', undefined]);
    await snapshots.close();
  });
});

describe('the question for the version', () => {
  it('is sent beside the first snapshot, after a failure, and every ten minutes', async () => {
    const { clock, service, snapshots, returned } = await watched(OLD, EVEN_BODY);
    expect([service.questions, service.polls]).toEqual([1, 1]);
    await clock.advance(9 * MINUTE);
    expect(service.questions).toBe(1);
    await clock.advance(2 * MINUTE);
    expect(service.questions).toBe(2);
    await returned();
    expect(service.questions).toBe(3);
    await snapshots.close();
  });

  it('is not sent while polls fail, nor again to a service without snapshots', async () => {
    const { clock, service, snapshots } = await watched(OLD);
    service.isDown = true;
    await clock.advance(60 * MINUTE);
    expect(service.questions).toBe(1);
    await snapshots.close();
  });

  it('is repeated once after a 401, because the poll beside it may have renewed the credentials', async () => {
    const { clock, service, snapshots } = await watched(reply(401, {}), EVEN_BODY);
    await clock.advance(9 * MINUTE);
    expect(service.questions).toBe(2);
    await snapshots.close();
  });

  it('is sent when a stream has broken off: an upgrade between two polls fails none', async () => {
    const clock = manualClock();
    const service = upgradable(clock, OLD);
    const snapshots = await watchingVersions(service.send, clock, {}, { stream: true });
    await clock.advance(10_000);
    expect([snapshots.semantics(), service.questions]).toEqual(['v2.8', 1]);
    service.info = NEW;
    service.breakStream();
    await clock.advance(POLL_MS);
    expect([snapshots.semantics(), service.questions]).toEqual(['v2', 2]);
    await snapshots.close();
  });

  it('counts no answer that comes after the question was sent again', async () => {
    let late: (info: Outcome) => void = () => undefined;
    const { clock, service, snapshots, returned } = await watched(new Promise((resolve) => (late = resolve)));
    service.info = OLD;
    await returned();
    late(NEW);
    await clock.advance(1);
    expect([snapshots.semantics(), snapshots.fliptVersion()]).toEqual(['v2.8', 'v2.8.0']);
    await snapshots.close();
  });

  it('is not sent because there is no stream', async () => {
    const clock = manualClock();
    const service = upgradable(clock, OLD);
    service.streamType = 'application/json';
    service.body = EVEN_BODY;
    const snapshots = await watchingVersions(service.send, clock, {}, { stream: true });
    await clock.advance(9 * MINUTE);
    expect(service.questions).toBe(1);
    await snapshots.close();
  });

  it('changes nothing of a body that names its rules itself, and causes no polls', async () => {
    const clock = manualClock();
    const service = upgradable(clock, reply(404, {}));
    service.body = { ...BODY, semantics: 'v2.8' };
    service.hasEtag = false;
    const snapshots = await watchingVersions(service.send, clock);
    await clock.advance(10 * POLL_MS);
    expect(service.polls).toBeLessThan(15);
    expect([snapshots.semantics(), snapshots.changed]).toEqual(['v2.8', []]);
    await snapshots.close();
  });

  it('holds up no poll and no close', async () => {
    const { clock, service, snapshots } = await watched(new Promise(() => undefined));
    await clock.advance(4 * POLL_MS);
    expect(service.polls).toBe(5);
    await snapshots.close();
    expect(clock.timers()).toBe(0);
  });
});
