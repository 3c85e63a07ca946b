import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/base/version.js';
import { FliptClient } from '../../src/client/index.js';
import { clientSettings } from '../../src/options/settings.js';
import { environmentHeaders } from '../../src/http/reply.js';
import { REQUEST } from './outcomes.fixture.js';
import { serving, transportTo } from './transport.fixture.js';

const SENDER = `openfeature-flipt-provider/${VERSION}`;

it('the version in the header is that of package.json', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(manifest).toMatchObject({ version: VERSION });
});

it("every request names its sender, unless the user's own header does", async () => {
  const server = await serving((_, response) => response.end('{"segments":[]}'));
  await transportTo(server.url).send(REQUEST);
  await using client = new FliptClient({ url: server.url });
  await client.segments.list('default');
  await transportTo(server.url, { headers: { 'User-Agent': 'checkout' } }).send(REQUEST);
  expect(server.requests.map(({ headers }) => headers['user-agent'])).toEqual([SENDER, SENDER, 'checkout']);
});

it.each(['żółty', 'größe', '日本'])(
  'the environment %s goes as UTF-8, as Flipt reads it',
  async (environment) => {
    const server = await serving((_, response) => response.end('{}'));
    const headers = environmentHeaders(clientSettings({ environment }, {}).environment);
    const { send } = transportTo(server.url);
    await send({ ...REQUEST, headers });
    await send({ method: 'GET', path: '/x', repeatable: true, headers });
    const sent = server.requests.map((request) =>
      Buffer.from(String(request.headers['x-flipt-environment']), 'latin1').toString(),
    );
    expect(sent).toEqual([environment, environment]);
  },
);

it('an environment with a line break is refused', () => {
  expect(() => clientSettings({ environment: 'a\nb' }, {})).toThrow(
    new TypeError(
      'FliptClient: environment: expected the name of an environment without line breaks and other control characters, got a string',
    ),
  );
});
