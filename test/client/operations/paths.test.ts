import { describe, expect, it } from 'vitest';
import { client, servedByItsOwn, service } from './serving.fixture.js';

servedByItsOwn();

const ELSEWHERE = 'expected text without "." or ".." as a part, which leads to another path';

describe('parts of a path', () => {
  it.each(['...', '.a', 'a b', 'é', '%2F', 'a?b#c', 'a;b&c+d', '$&', '{key}'])(
    'carries %j as it is',
    async (key) => {
      await expect(client.segments.get('default', key)).rejects.toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
        message: expect.stringContaining(` answered 404: segment "default/${key}" not found`) as string,
        url: expect.stringContaining(service.url) as string,
      });
    },
  );

  it('sends a slash encoded, although the service still splits the path at it', async () => {
    const before = service.requests;
    await expect(client.segments.get('default', 'a/b')).rejects.toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      message: expect.stringContaining(' answered 404: Not Found') as string,
    });
    expect(service.requests).toBe(before + 1);
  });

  it.each([
    ['', "key: expected text, got ''"],
    [undefined, 'key: expected text, got undefined'],
    ['..', `key: ${ELSEWHERE}`],
    ['\ud800', 'key: expected well-formed Unicode, got a lone surrogate'],
  ])('refuses %j, and sends nothing', async (key, message) => {
    const before = service.requests;
    await expect(client.segments.get('default', key as string)).rejects.toThrow(new TypeError(message));
    expect(service.requests).toBe(before);
  });

  it('names the part that is wrong', async () => {
    await expect(client.rules.list('', 'banner')).rejects.toThrow('namespace: expected text');
    await expect(client.rules.create('default', '', { segmentKey: 'beta', rank: 1 })).rejects.toThrow(
      'flag: ',
    );
    await expect(client.variants.update('default', 'banner', '', { key: 'a' })).rejects.toThrow('id: ');
    await expect(client.tokens.get('')).rejects.toThrow('id: ');
    await expect(client.segments.iterate('').next()).rejects.toThrow('namespace: ');
  });
});
