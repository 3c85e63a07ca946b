import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/http/reply.js';
import type { SnapshotSourceSettings } from '../../src/snapshot/source.js';
import { manualClock } from '../clock.fixture.js';
import { INFO_PATH } from '../servers/scripted.fixture.js';
import { bodyJson, refusedConnection, reply } from './fetched.fixture.js';
import { opened, POLL_MS, sourceOf, type Answer } from './source.fixture.js';

const MINUTE = 60_000;
const DIGEST = 'd'.repeat(40);
const v1 = (version: string) => reply(200, { version, isRelease: true });
const v2 = (version: string, isRelease = true) => reply(200, { build: { version, isRelease } });

/** 2.8 and 2.9 share out only `uneven` in different ways. */
const variantFlag = (key: string, rollouts: readonly number[]) => ({
  key,
  type: 'VARIANT_FLAG_TYPE',
  enabled: true,
  rules: [
    {
      segments: [{ key: 'all', matchType: 'ALL_SEGMENT_MATCH_TYPE', constraints: [] }],
      distributions: rollouts.map((rollout, at) => ({ variantKey: `${at}`, variantAttachment: '', rollout })),
    },
  ],
});
const BODY = { flags: [variantFlag('uneven', [50, 25]), variantFlag('even', [50, 50])], digest: DIGEST };
/** Of 1,000 users, so many are beyond the 75 % of `uneven` before 2.9. */
const LEFT_OUT = 239;

/** A Flipt whose ETag stays the same, whatever changes. */
function flipt(info: Outcome, body: object = BODY) {
  const service = { info, body, isDown: false, questions: 0, bodies: 0 };
  const answer: Answer = ({ path, headers }) => {
    if (path === INFO_PATH) service.questions++;
    if (service.isDown) return refusedConnection;
    if (path === INFO_PATH) return service.info;
    if (headers?.['if-none-match'] === DIGEST) return reply(304);
    service.bodies++;
    return reply(200, service.body, { etag: DIGEST });
  };
  return Object.assign(service, { answer: Object.assign(answer, { info: true }) });
}

async function watching(info: Outcome, body?: object, more: Partial<SnapshotSourceSettings> = {}) {
  const service = flipt(info, body);
  const made = await opened(service.answer, more);
  const { source } = made;
  return {
    ...made,
    service,
    semantics: () => source.snapshot()?.semantics,
    without: () =>
      Array.from({ length: 1_000 }, (_, at) =>
        source.evaluate({ namespace: 'default', flag: 'uneven', entity: `${at}`, attributes: {} }),
      ).filter((answer) => answer?.kind === 'variant' && !answer.match).length,
    isOn: () => {
      const answer = source.evaluate({ namespace: 'default', flag: 'sale', entity: 'x', attributes: {} });
      return answer?.kind === 'boolean' && answer.enabled;
    },
  };
}

describe('the rules by which a snapshot of v2 is read', () => {
  it.each<[string, Outcome, string, number, string | undefined]>([
    ['v2.8.0', v2('v2.8.0'), 'v2.8', LEFT_OUT, 'v2.8.0'],
    ['v2.9.0', v2('v2.9.0'), 'v2', 0, 'v2.9.0'],
    ['v2.11.0', v2('v2.11.0'), 'v2', 0, 'v2.11.0'],
    ['a build without a number', v2('v2.0.0-dev', false), 'v2', 0, 'v2.0.0-dev'],
    ['one that does not say its version', reply(403, {}), 'v2', 0, undefined],
    ['one behind a proxy that knows no other path', reply(404, 'no'), 'v2', 0, undefined],
  ])('are those of %s', async (_what, info, semantics, left, version) => {
    const { semantics: current, without, source } = await watching(info);
    expect([current(), without(), source.fliptVersion()]).toEqual([semantics, left, version]);
  });

  it('change with an upgrade behind the same ETag, of only the flags that it concerns', async () => {
    const { clock, service, semantics, without, changed } = await watching(v2('v2.8.0'));
    service.info = v2('v2.11.0');
    await clock.advance(POLL_MS);
    expect([semantics(), without(), changed()]).toEqual(['v2', 0, [['uneven']]]);
  });

  it('change with a downgrade that a failed poll has shown', async () => {
    const { clock, service, semantics, without } = await watching(v2('v2.11.0'));
    service.isDown = true;
    await clock.advance(POLL_MS);
    service.isDown = false;
    service.info = v2('v2.8.0');
    await clock.advance(POLL_MS);
    expect([semantics(), without()]).toEqual(['v2.8', LEFT_OUT]);
  });

  it('stay while the version cannot be asked', async () => {
    const { clock, service, semantics } = await watching(v2('v2.8.0'));
    service.info = reply(503, 'no');
    await clock.advance(3 * POLL_MS);
    expect(semantics()).toBe('v2.8');
  });
});

describe('the question for the version', () => {
  it('is sent beside the first poll, after a failure, and every ten minutes', async () => {
    const { clock, service } = await watching(v2('v2.11.0'), BODY, {
      watch: { pollMs: POLL_MS, maxAgeMs: 86_400_000, stream: false },
    });
    await clock.advance(9 * MINUTE);
    expect(service.questions).toBe(1);
    await clock.advance(2 * MINUTE);
    expect(service.questions).toBe(2);
    service.isDown = true;
    await clock.advance(POLL_MS);
    service.isDown = false;
    await clock.advance(3 * POLL_MS);
    expect(service.questions).toBe(3);
  });

  it('has a second, and then the snapshot counts without it', async () => {
    const clock = manualClock();
    const answer: Answer = ({ path, download }) =>
      path === INFO_PATH
        ? new Promise((resolve) =>
            clock.after(download?.timeoutMs ?? 0, () => {
              resolve({ kind: 'timeout', message: 'no answer' });
            }),
          )
        : reply(200, BODY, { etag: DIGEST });
    const made = sourceOf(Object.assign(answer, { info: true }), {}, clock);
    void made.source.open();
    await clock.advance(1_000);
    expect(made.source.snapshot()?.semantics).toBe('v2');
  });
});

describe('a flag that is switched off under the same ETag', () => {
  const sale = (enabled: boolean, digest?: string) => bodyJson({ sale: enabled, other: true }, { digest });

  it.each(['v2.0.0', 'v2.8.0', '2.9.1', 'v2.10.2'])(
    'is seen by the next poll of Flipt %s',
    async (version) => {
      const { clock, service, isOn, changed, named } = await watching(v2(version), sale(true, DIGEST));
      await clock.advance(10 * MINUTE);
      service.body = sale(false, DIGEST);
      await clock.advance(POLL_MS);
      expect([isOn(), changed()]).toEqual([false, [['sale']]]);
      expect(new Set(named())).toEqual(new Set([undefined]));
    },
  );

  it.each(['v0.9.0', 'v1.40.0', 'v1.59.1'])('is seen within about a minute of Flipt %s', async (version) => {
    const { clock, service, isOn, polls } = await watching(v1(version), sale(true));
    await clock.advance(10 * MINUTE);
    expect(service.bodies).toBeGreaterThanOrEqual(10);
    expect(service.bodies).toBeLessThan(polls.length / 2);
    service.body = sale(false);
    await clock.advance(MINUTE + POLL_MS);
    expect(isOn()).toBe(false);
  });

  it.each([
    ['v1.59.2', v1('v1.59.2')],
    ['v1.61.1', v1('v1.61.1')],
    ['v2.11.0', v2('v2.11.0')],
    ['v3.0.0', v2('v3.0.0')],
    ['that does not say its version', reply(401, {})],
  ])('is seen within maxAgeMs of a Flipt %s, whose polls are cheap', async (_what, info) => {
    const { clock, service, isOn } = await watching(info, sale(true));
    service.body = sale(false);
    await clock.advance(7 * MINUTE);
    expect([isOn(), service.bodies]).toEqual([true, 1]);
    await clock.advance(3 * MINUTE);
    expect([isOn(), service.bodies]).toEqual([false, 2]);
  });

  it('is seen as soon as Flipt has said its version, if the first poll after a restart named the saved tag', async () => {
    const texts: string[] = [];
    const store = {
      load: () => Promise.resolve(texts.at(-1)),
      save: (text: string) => Promise.resolve(void texts.push(text)),
    };
    const before = await watching(v2('v2.8.0'), sale(true, DIGEST), { snapshot: { store } });
    await before.source.close();
    const after = await watching(v2('v2.8.0'), sale(false, DIGEST), { snapshot: { store } });
    expect([after.isOn(), after.named()]).toEqual([false, [DIGEST, undefined]]);
  });

  it('of a slow Flipt v1 before 1.59.2 is not looked for more often than 600 bodies take', async () => {
    const clock = manualClock();
    const service = flipt(v1('v1.58.0'), sale(true));
    const slow: Answer = async (request) => {
      const outcome = await service.answer(request);
      if (outcome.kind === 'reply' && outcome.status === 200 && request.path !== INFO_PATH)
        await new Promise<void>((resolve) => clock.after(400, resolve));
      return outcome;
    };
    const { source } = await opened(Object.assign(slow, { info: true }), {}, clock);
    await clock.advance(20 * MINUTE);
    expect(service.bodies).toBeLessThanOrEqual(8);
    await source.close();
  });
});

it('what getSnapshot() gives is read by the rules that it names', async () => {
  const { source } = await watching(v2('v2.8.0'));
  const initial = (await source.getSnapshot()) ?? {};
  expect(initial).toMatchObject({ format: 2, semantics: 'v2.8', digest: DIGEST });
  const offline = sourceOf(() => refusedConnection, { watch: undefined, snapshot: { initial } });
  await offline.source.open();
  expect(offline.source.snapshot()?.semantics).toBe('v2.8');
  const { url, environment, etag } = initial as Record<string, unknown>;
  expect([url, environment, etag]).toEqual([undefined, undefined, undefined]);
});
