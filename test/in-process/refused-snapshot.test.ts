import { expect, it } from 'vitest';
import { answerJson, answering, item, orMissing, type Script } from '../servers/scripted.fixture.js';
import { recordingLogger, serving } from '../provider/open.fixture.js';
import { living, withSnapshot } from '../provider/status/living.fixture.js';
import { savedText } from '../snapshot/saved-text.fixture.js';

const answersOff = answering(orMissing(({ flagKey }) => item.boolean(flagKey, false)));
const refusing =
  (status: number): Script =>
  (_, response) => {
    answerJson(response, { code: 7, message: 'no' }, status);
  };
/** The flag is on in the snapshot of an earlier run. */
const keptFor = (url: string, confirmedAt: number) => {
  const body = { flags: [{ key: 'a', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] };
  const place = { url, namespace: 'default', environment: undefined };
  const text = savedText(body, { etag: 'tag', confirmedAt }, place);
  return { load: () => Promise.resolve(text), save: () => Promise.resolve() };
};
const NOW = Date.UTC(2024, 0, 1);

it.each([
  [401, NOW],
  [403, NOW - 3_600_000],
  [404, NOW - 1_000],
  [501, NOW],
])(
  'a saved snapshot does not hide that Flipt refuses snapshots now (%d): Flipt evaluates',
  async (status, at) => {
    let snapshots = refusing(status);
    const server = await serving(answersOff, (request, response) => snapshots(request, response));
    const logger = recordingLogger();
    const store = keptFor(server.url, at);
    const { lifecycle, ended, resolve, turnUntil, clock } = living({
      url: server.url,
      evaluation: 'in-process',
      snapshot: { store },
      logger,
    });
    expect(await ended(lifecycle.start())).toBeUndefined();
    await turnUntil(1_000, () => lifecycle.status().watch?.condition === 'not-offered');

    expect(await resolve('a', 'ann')).toMatchObject({ answer: { enabled: false }, source: 'service' });
    const refusals = logger.warn.mock.calls.filter(([line]) => String(line).includes('refuses snapshots'));
    expect(refusals).toEqual([[expect.stringContaining(`answered ${status}`)]]);
    expect(logger.debug).not.toHaveBeenCalledWith('The provider watches Flipt for changes of flags');

    snapshots = withSnapshot(['a']);
    await turnUntil(1_000, () => lifecycle.status().watch?.condition === 'working');
    expect(await resolve('a', 'ann')).toMatchObject({ answer: { enabled: true }, source: 'in-process' });
    expect(clock.now()).toBeLessThan(600_000);
  },
);

it('a saved snapshot still answers if Flipt rejects the credentials, and so evaluates nothing either', async () => {
  const server = await serving(refusing(401), refusing(401));
  const { lifecycle, ended, resolve, turnUntil } = living({
    url: server.url,
    evaluation: 'in-process',
    auth: { token: 'dummy' },
    snapshot: { store: keptFor(server.url, NOW) },
  });
  expect(await ended(lifecycle.start())).toBeUndefined();
  await turnUntil(1_000, () => lifecycle.status().watch?.condition === 'not-offered');
  const before = server.requests.length;
  expect(await resolve('a', 'ann')).toMatchObject({
    answer: { enabled: true },
    source: 'in-process',
    stale: true,
  });
  expect(server.requests, 'no request for each user').toHaveLength(before);
});
