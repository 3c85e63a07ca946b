import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { FliptClient, FliptServiceError, type HttpDispatcher } from '../../src/client/index.js';
import { PATIENT } from '../eventually.fixture.js';
import { scriptedServer, type Script } from '../servers/scripted.fixture.js';

const TOKEN = 'Zm9vYmFy/cXV1eHF1+dXV4Zm9v==';
/** A part of the token that is too long to be there by chance, however the rest is escaped. */
const TRACES = /Zm9vYmFy|cXV1eHF1|dXV4Zm9v/;

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function failureWith(script: Script, token = TOKEN): Promise<FliptServiceError> {
  const server = await scriptedServer(script);
  const client = new FliptClient({ url: server.url, auth: { token }, http: { ...PATIENT.http, retries: 0 } });
  ending.push(server.close, () => client.close());
  return failureOf(client);
}

async function failureOf(client: FliptClient): Promise<FliptServiceError> {
  const outcome: unknown = await client.segments.list('default').catch((error: unknown) => error);
  if (!(outcome instanceof FliptServiceError)) throw new Error(`no FliptServiceError: ${inspect(outcome)}`);
  return outcome;
}

const shown = (error: FliptServiceError) =>
  [inspect(error, { depth: Infinity, showHidden: true }), JSON.stringify(error)].join('\n');

const json =
  (text: string, status = 400): Script =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
const page =
  (text: string): Script =>
  (_, response) =>
    response.writeHead(418, { 'content-type': 'text/html' }).end(text);

describe('the details of an error hold no token', () => {
  const echo = { request: { authorization: `Bearer ${TOKEN}`, [TOKEN]: [TOKEN, 1, true, null] } };
  const body = JSON.stringify({ code: 3, message: `bad: ${TOKEN}`, details: [echo] });

  it('in usual JSON', async () => {
    const error = await failureWith(json(body));
    expect(error).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/ answered 400: bad: \[credential\]$/) as string,
      status: 400,
    });
    expect(error.details).toEqual([
      {
        request: {
          authorization: 'Bearer [credential]',
          '[credential]': ['[credential]', 1, true, null],
        },
      },
    ]);
    expect(shown(error)).not.toMatch(TRACES);
  });

  it.each([
    ['with slashes escaped', body.replaceAll('/', '\\/')],
    ['with slashes by their numbers', body.replaceAll('/', '\\u002F')],
    ['with all but letters by their numbers', body.replaceAll(TOKEN, TOKEN.replaceAll(/\W/g, numbered))],
    ['within JSON', JSON.stringify({ message: 'bad', details: [{ inner: body.replaceAll('/', '\\/') }] })],
  ])('%s', async (_, text) => {
    const error = await failureWith(json(text));
    expect(error.details).toHaveLength(1);
    expect(shown(error)).toContain('[credential]');
    expect(shown(error)).not.toMatch(TRACES);
  });

  it('that is a number: then nothing is read of the body', async () => {
    const error = await failureWith(json('{"message":"bad","details":[1234567890,12345]}'), '1234567890');
    expect(error.details).toEqual([]);
    expect(shown(error)).not.toContain('1234567890');
  });

  it('and are otherwise as the service sent them', async () => {
    const details = [{ '@type': 'a/b', list: [[], {}, 1.5, '%41 &amp; \\u0041'] }, null, 'x'];
    const text = JSON.stringify({ message: 'bad', details }).replace('"list"', '"__proto__":{"a":1},"list"');
    const error = await failureWith(json(text));
    expect(JSON.stringify(error.details)).toBe(JSON.stringify((JSON.parse(text) as typeof error).details));
  });
});

function numbered(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}

describe('an error body that costs too much is not read as one', () => {
  it.each([
    ['deep', `{"message":"bad","details":[${'['.repeat(100_000)}"${TOKEN}"${']'.repeat(100_000)}]}`],
    ['deep in objects', `{"message":"bad","details":[${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}]}`],
    ['long', JSON.stringify({ message: 'bad', details: Array(200_000).fill('') })],
    ['one long text', JSON.stringify({ message: 'x'.repeat(300_000) + TOKEN, details: [] })],
  ])('if it is %s', async (_, text) => {
    const error = await failureWith(json(text));
    expect(error).toMatchObject({ name: 'FliptServiceError', status: 400, details: [] });
    expect(error.message).toMatch(/ answered 400 with application\/json beginning "/);
    expect(shown(error)).not.toMatch(TRACES);
  });
});

describe('what is quoted of a page holds no token', () => {
  it.each([
    ['as it is', TOKEN],
    ['with slashes by their numbers', TOKEN.replaceAll('/', '&#x2F;').replaceAll('=', '&#61;')],
    ['with all by their names', TOKEN.replaceAll('/', '&sol;').replaceAll('+', '&plus;')],
    ['as a part of a URL', encodeURIComponent(TOKEN)],
    ['as JSON in a URL in a page', encodeURIComponent(TOKEN.replaceAll('/', '\\/')).replaceAll('%', '&#37;')],
  ])('%s', async (_, written) => {
    const error = await failureWith(page(`<p>${written}`));
    expect(error.message).toMatch(/answered 418 with text\/html beginning "<p>\[credential\]/);
    expect(shown(error)).not.toMatch(TRACES);
    const cutOff = await failureWith(page(`${'-'.repeat(50)}${written}`));
    expect(cutOff.message).toContain('-[credenti');
    expect(shown(cutOff)).not.toMatch(TRACES);
  });

  it('in a page of any length', async () => {
    const error = await failureWith(page(`<p>${TOKEN}${'x'.repeat(300_000)}`));
    expect(error.message).toMatch(/beginning "<p>\[credential\]x+…"$/);
  });

  it('in the name of its type', async () => {
    const error = await failureWith((_, response) =>
      response.writeHead(418, { 'content-type': encodeURIComponent(TOKEN) }).end('no tea'),
    );
    expect(error.message).toMatch(/418 with \[credential\].* beginning "no tea"$/);
    expect(shown(error)).not.toMatch(TRACES);
  });
});

it('an error of a dispatcher is shown in one line, without the token', async () => {
  const request: HttpDispatcher['request'] = () => {
    const facts = { name: `Error ${TOKEN}`, code: `E_${TOKEN}\r\n forged`, hostname: TOKEN, port: 1 };
    return Promise.reject(Object.assign(new Error(`not for ${TOKEN}`), facts));
  };
  const error = await failureOf(
    new FliptClient({ auth: { token: TOKEN }, http: { dispatcher: { request }, retries: 0 } }),
  );
  expect(error.message).toMatch(/failed: not for \[credential\] \(E_\[credential\] {2}forged\)$/);
  expect(error.cause).toMatchObject({ name: 'Error [credential]', hostname: '[credential]', port: 1 });
  expect(shown(error)).not.toMatch(TRACES);
});
