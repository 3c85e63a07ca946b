import { describe, expect, it } from 'vitest';
import { redactor } from '../../src/http/failures.js';
import { serving, transportTo } from './transport.fixture.js';
import { REQUEST } from './outcomes.fixture.js';

describe('a credential that a gateway shows', () => {
  it('is hidden, and its scheme is not', () => {
    const redact = redactor(['Bearer dummy-token', 'dummy-token-and-more']);
    expect(redact('sent: Bearer dummy-token, dummy-token-and-more')).toBe(
      'sent: Bearer [credential], [credential]',
    );
  });

  it('is not searched for if it has less than six characters', () => {
    expect(redactor(['Bearer short'])('too short')).toBe('too short');
  });

  it('is hidden as the decoded password of HTTP Basic, too', () => {
    const value = `Basic ${btoa('ada:S3cret:value')}`;
    expect(redactor([value])(`${value} is ada with S3cret:value`)).toBe(
      'Basic [credential] is ada with [credential]',
    );
  });

  it('is hidden wherever it comes from: auth, a header of the options, a body, the details of an error', async () => {
    const secrets = ['dummy-of-auth', 'dummy-of-header', 'dummy-of-body'];
    const server = await serving((_, response) => {
      response.writeHead(418).end(JSON.stringify({ message: secrets.join(), details: secrets }));
    });
    const { send } = transportTo(server.url, {
      headers: { 'x-api-key': 'dummy-of-header', 'x-team': 'checkout' },
    });
    const credentials = { authorization: 'Bearer dummy-of-auth' };
    const reply = await send({ ...REQUEST, credentials, secrets: ['dummy-of-body'] });
    expect(JSON.stringify(reply)).toContain('[credential]');
    for (const secret of secrets) expect(JSON.stringify(reply)).not.toContain(secret);
  });

  it('is hidden where it went to a proxy: the header, and the password in its address', async () => {
    const server = await serving((_, response) => {
      response.writeHead(418).end(`${btoa('me:dummy-password')} dummy-password`);
    });
    const proxy = server.url.replace('://', '://me:dummy-password@');
    expect(await transportTo('http://flipt.test', { http: { proxy } }).send(REQUEST)).toMatchObject({
      text: '[credential] [credential]',
    });
  });
});
