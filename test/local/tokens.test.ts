import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { useFolder } from './folder.fixture.js';
import { ask, BASE_FEATURES } from './requests.fixture.js';
import { SEGMENTS, useServices } from './running.fixture.js';

const at = useFolder();
const start = useServices();

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('a service that requires tokens', () => {
  const token = 'dummy-bootstrap';
  const options = { features: BASE_FEATURES, bootstrapToken: token };

  it('answers 401 to everything but /health, whatever is wrong with the token', async () => {
    const { url } = await start(options);
    for (const given of [undefined, '', 'wrong', ` ${token}`, sha256(token)]) {
      const refused = await ask(url, `GET ${SEGMENTS}`, { token: given });
      expect(refused).toMatchObject({
        status: 401,
        body: { code: 16, message: 'request was not authenticated', details: [] },
      });
      expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer');
    }
    expect(await ask(url, 'GET /health')).toMatchObject({ status: 200 });
    expect(await ask(url, `GET ${SEGMENTS}`, { token })).toMatchObject({ status: 200 });
  });

  it('does not read the body of a request without a valid token', async () => {
    const { url } = await start(options);
    expect(await ask(url, `POST ${SEGMENTS}`, { body: '{bad' })).toMatchObject({ status: 401 });
  });

  it('keeps tokens over a restart, but only their hashes', async () => {
    const data = at('tokens.json');
    const first = await start({ ...options, data });
    const made = await ask(first.url, 'POST /auth/v1/method/token', {
      token,
      body: { name: 'ci', namespaceKey: 'team' },
    });
    const { clientToken } = made.body as { clientToken: string };
    await first.close();

    expect(await readFile(data, 'utf8')).not.toContain(clientToken);
    expect(await readFile(data, 'utf8')).not.toContain(token);
    const second = await start({ bootstrapToken: token, data });
    const team = '/api/v1/namespaces/team';
    expect(await ask(second.url, `GET ${team}/segments`, { token: clientToken })).toMatchObject({
      status: 200,
    });
    expect(await ask(second.url, `GET ${SEGMENTS}`, { token: clientToken })).toMatchObject({ status: 401 });
    expect(await ask(second.url, `GET ${team}/flags/open/rules`, { token: clientToken })).toMatchObject({
      status: 200,
    });
  });
});
