import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { authorized } from '../../../src/http/auth.js';
import { silentRuntime } from '../../../src/model/runtime.js';
import type { Send } from '../../../src/http/reply.js';
import type { AuthOptions } from '../../../src/options/connection-options.js';
import { manualClock } from '../../clock.fixture.js';
import { replied, REQUEST, sending } from '../outcomes.fixture.js';
import { authorizedWith } from './credentials.fixture.js';

const OK = replied(200);
const REFUSED = replied(401);

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function tokenFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  folders.push(folder);
  const path = join(folder, 'token');
  await writeFile(path, text);
  return path;
}

const headersOf = async (auth: AuthOptions | undefined) => {
  const { send, sent } = sending(OK);
  const outcome = await authorizedWith(send, auth)(REQUEST);
  return outcome.kind === 'reply' ? sent[0]?.credentials : outcome.message;
};

describe('credentials', () => {
  it.each<[string, AuthOptions | undefined, Record<string, string>]>([
    ['none', undefined, {}],
    ['a token', { token: 'dummy-token' }, { authorization: 'Bearer dummy-token' }],
    ['a JSON Web Token', { jwt: 'dummy.jwt' }, { authorization: 'JWT dummy.jwt' }],
    ['a function', { headers: () => ({ 'x-key': 'dummy' }) }, { 'x-key': 'dummy' }],
    ['an async function', { headers: () => Promise.resolve({ 'x-key': 'dummy' }) }, { 'x-key': 'dummy' }],
    [
      'a method that keeps something in its object',
      {
        headers(this: { key?: string }) {
          return { 'x-key': (this.key ??= 'dummy') };
        },
      },
      { 'x-key': 'dummy' },
    ],
  ])('of %s become headers', async (_, auth, headers) => {
    expect(await headersOf(auth)).toEqual(headers);
  });

  const returning = (headers: unknown): AuthOptions => ({ headers: () => headers as Record<string, string> });
  it.each<[string, AuthOptions, string]>([
    ['nothing', returning(undefined), 'auth.headers returned no plain object of names and values'],
    ['null', returning(null), 'auth.headers returned no plain object of names and values'],
    ['text', returning('dummy-token'), 'auth.headers returned no plain object of names and values'],
    [
      'a number for a header',
      returning({ 'x-a': 5 }),
      'auth.headers returned a value for "x-a" that is no header text',
    ],
    [
      'a header of two lines',
      returning({ 'x-a': 'b\r\nc' }),
      'auth.headers returned a value for "x-a" that is no header text',
    ],
    [
      'a header of the connection',
      returning({ 'Content-Length': '1' }),
      'auth.headers returned "Content-Length", a header that belongs to the connection',
    ],
    [
      'Headers',
      returning(new Headers({ authorization: 'dummy' })),
      'auth.headers returned no plain object of names and values',
    ],
    ['a name that is none', returning({ 'x a': 'b' }), 'auth.headers returned a name that is no header name'],
  ])('that a function gives as %s are a failure', async (_, auth, problem) => {
    expect(await headersOf(auth)).toBe(`no credentials for Flipt: ${problem}`);
  });

  it.each<[string, () => never, string]>([
    [
      'an error',
      () => {
        throw new RangeError('holds dummy-secret');
      },
      'RangeError',
    ],
    [
      'something else',
      () => {
        // A caller's function may throw anything.
        throw 'dummy-secret' as unknown as Error;
      },
      'string',
    ],
  ])(
    'of a function that throws %s are a failure that does not repeat its words',
    async (_, headers, kind) => {
      expect(await headersOf({ headers })).toBe(`no credentials for Flipt: auth.headers threw ${kind}`);
    },
  );

  it('that do not come in time are a failure', async () => {
    const clock = manualClock();
    const { send } = sending(OK);
    const had = authorizedWith(send, { headers: () => new Promise(() => undefined) }, clock)(REQUEST);
    await clock.advance(500);
    expect(await had).toEqual({
      kind: 'credentials',
      message: 'no credentials for Flipt: auth took longer than 500 ms (http.timeoutMs)',
    });
    expect(clock.timers()).toBe(0);
  });

  it('leave no timer behind', async () => {
    const clock = manualClock();
    await authorizedWith(sending(OK).send, { token: 'dummy-token' }, clock)(REQUEST);
    expect(clock.timers()).toBe(0);
  });
});

describe('a token in a file', () => {
  it('is read without surrounding white space, and again when the file is replaced', async () => {
    const path = await tokenFile(' dummy-1\n');
    const { send, sent } = sending(OK);
    const asking = authorizedWith(send, { tokenFile: path });
    await asking(REQUEST);
    await writeFile(`${path}.new`, 'dummy-2-longer');
    await rename(`${path}.new`, path);
    await asking(REQUEST);
    expect(sent.map(({ credentials }) => credentials)).toEqual([
      { authorization: 'Bearer dummy-1' },
      { authorization: 'Bearer dummy-2-longer' },
    ]);
  });

  it.each([
    ['empty', ' \n', /tokenFile .*token is empty$/],
    ['of two lines', 'dummy\ndummy', /tokenFile .*token does not hold a token$/],
    ['with the scheme', 'Bearer dummy', /tokenFile .*token does not hold a token$/],
  ])('that is %s is a failure', async (_, text, message) => {
    expect(await headersOf({ tokenFile: await tokenFile(text) })).toMatch(message);
  });

  it('that is not there is a failure that says so', async () => {
    const path = await tokenFile('dummy');
    await rm(path);
    expect(await headersOf({ tokenFile: path })).toMatch(/tokenFile .*token cannot be read \(ENOENT\)$/);
  });
});

describe('a 401', () => {
  it('refreshes the credentials once for all waiting requests, and repeats each of them once', async () => {
    let token = 0;
    const headers = vi.fn(() => Promise.resolve({ 'x-token': String(token) }));
    const { send, sent } = sending(REFUSED, REFUSED, REFUSED, OK);
    const asking = authorizedWith(send, { headers });
    token = 1;
    const outcomes = await Promise.all([asking(REQUEST), asking(REQUEST), asking(REQUEST)]);
    expect(outcomes).toEqual([OK, OK, OK]);
    expect(sent).toHaveLength(6);
    // The first three, then one repeat of each.
    expect(headers).toHaveBeenCalledTimes(4);
  });

  it('after the refresh is returned to the caller', async () => {
    const { send, sent } = sending(REFUSED);
    const asking = authorizedWith(send, { token: 'dummy-token' });
    expect(await asking(REQUEST)).toBe(REFUSED);
    expect(sent).toHaveLength(2);
    expect(sent[0]?.credentials).toEqual({ authorization: 'Bearer dummy-token' });
    // Known to be rejected: the same credentials are not repeated again.
    expect(await asking(REQUEST)).toBe(REFUSED);
    expect(sent).toHaveLength(3);
  });

  it('does not repeat a request that may not be repeated', async () => {
    const { send, sent } = sending(REFUSED);
    const asking = authorizedWith(send, { token: 'dummy-token' });
    expect(await asking({ ...REQUEST, repeatable: false })).toBe(REFUSED);
    expect(sent).toHaveLength(1);
  });

  it('of a stream refreshes nothing: otherwise each connection would log in', async () => {
    const headers = vi.fn(() => ({ 'x-token': 'dummy' }));
    const { send, sent } = sending(REFUSED);
    const asking = authorizedWith(send, { headers });
    for (let connection = 0; connection < 3; connection++)
      expect(await asking({ ...REQUEST, stream: true })).toBe(REFUSED);
    expect(sent).toHaveLength(3);
    // Once to send each, and never for new ones.
    expect(headers).toHaveBeenCalledTimes(3);
  });

  it('is returned to the caller if there are no other credentials', async () => {
    const path = await tokenFile('dummy-1');
    const { send, sent } = sending(REFUSED);
    const asking = authorizedWith(
      async (request) => {
        if (sent.length === 2) await rm(path);
        return send(request);
      },
      { tokenFile: path },
    );
    expect(await asking(REQUEST)).toBe(REFUSED);
    expect(sent).toHaveLength(2);
    expect(await asking(REQUEST)).toBe(REFUSED);
    expect(sent).toHaveLength(3);
  });

  it('after another request’s refresh uses the new credentials', async () => {
    let token = 'old';
    const source = vi.fn(async (isRejected: boolean) => {
      if (isRejected) token = 'new';
      return { 'x-token': token };
    });
    const refused: (() => void)[] = [];
    const send: Send = ({ credentials }) =>
      credentials?.['x-token'] === 'new'
        ? Promise.resolve(OK)
        : new Promise((resolve) => {
            refused.push(() => {
              resolve(REFUSED);
            });
          });
    const asking = authorized(send, source, silentRuntime());
    const outcomes = [asking(REQUEST), asking(REQUEST)];
    await vi.waitFor(() => {
      expect(refused).toHaveLength(2);
    });
    for (const [at, refuse] of refused.entries()) {
      refuse();
      expect(await outcomes[at]).toBe(OK);
    }
    expect(source.mock.calls.flat()).toEqual([false, false, true, false]);
  });
});

describe('without credentials', () => {
  it('nothing is sent', async () => {
    const { send, sent } = sending(OK);
    const asking = authorizedWith(send, { tokenFile: '/nonexistent/token' });
    expect(await asking(REQUEST)).toMatchObject({ kind: 'credentials' });
    expect(sent).toEqual([]);
  });
});
