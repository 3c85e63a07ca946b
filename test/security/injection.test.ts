import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FliptClient, FliptServiceError } from '../../src/client/index.js';
import { FliptProvider, type FliptProviderOptions } from '../../src/index.js';
import { PATIENT } from '../eventually.fixture.js';
import { answering, item, orMissing, type Script } from '../servers/scripted.fixture.js';
import { flipt, open, recordingLogger, serving } from '../provider/open.fixture.js';

/** Texts that begin another header, end the head, or cannot be in a header. */
const BREAKS = ['a\r\nx-admin: 1', 'a\nx-admin: 1', 'a\rx', 'a\0', 'a\u2028x-admin: 1', 'ключ'];

describe.each(BREAKS)('%j', (text) => {
  it.each<[string, FliptProviderOptions, string]>([
    ['a token', { auth: { token: text } }, 'auth.token: expected'],
    ['a JSON Web Token', { auth: { jwt: text } }, 'auth.jwt: expected'],
    ['a header', { headers: { 'x-team': text } }, 'headers.x-team: expected'],
    ['the name of a header', { headers: { [text]: 'a' } }, 'expected a header name'],
  ])('is refused as %s, and not shown', (_, options, message) => {
    const make = () => new FliptProvider(options);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
  });

  // Letters of all languages go as UTF-8 there.
  it.skipIf(/^\p{L}+$/u.test(text))('is refused as an environment, and not shown', () => {
    expect(() => new FliptProvider({ environment: text })).toThrow(/environment: expected (?!.*x-admin)/);
  });

  it('is not sent if a token file or a function returns it later', async () => {
    const server = await serving(answering(() => item.missing('')));
    const folder = await mkdtemp(join(tmpdir(), 'token-'));
    await writeFile(join(folder, 'token'), `${text}.`);
    const fromFile = flipt({ url: server.url, auth: { tokenFile: join(folder, 'token') } });
    const fromFunction = flipt({ url: server.url, auth: { headers: () => ({ authorization: text }) } });
    for (const provider of [fromFile, fromFunction]) {
      const details = await provider.resolveBooleanEvaluation('a', true, {});
      expect(details).toMatchObject({ value: true, errorCode: 'GENERAL' });
      expect(details.errorMessage).not.toContain('x-admin');
      await provider.onClose();
    }
    expect(server.requests).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('stays inside of the body and the path that it is sent in', async () => {
    const server = await serving((_, response) => response.writeHead(404).end('{}'));
    const provider = flipt({ url: server.url, namespace: text, reference: text });
    await provider.resolveBooleanEvaluation(text, false, { targetingKey: text, [text]: text });
    await provider.onClose();
    const client = new FliptClient({ url: server.url, http: PATIENT.http });
    await client.segments.get(text, text, { reference: text }).catch(() => undefined);
    await client.tokens.get(text).catch(() => undefined);
    await client.close();
    expect(server.requests.length).toBeGreaterThan(0);
    for (const { headers, path } of server.requests) {
      expect(headers).not.toHaveProperty('x-admin');
      expect(path).toMatch(/^\/[!-~]*$/);
    }
  });
});

/** Characters that end a line, clear or colour a screen, change the direction of text, or ring a bell. */
const FORGED = 'fine\r\n2030-01-01 ERROR forged\u001b[2J\u001b[31m\u0007\u0085\u2028\u202e\u200b\0 end';
const STEERS = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

describe('the words of the service are shown in one line that steers nothing', () => {
  const saying =
    (status: number, body: object | string, headers: object = {}): Script =>
    (_, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(typeof body === 'string' ? body : JSON.stringify(body));

  it.each<[string, Script]>([
    ['as its error', saying(400, { code: 3, message: FORGED })],
    ['as a refusal', saying(401, { code: 16, message: FORGED })],
    ['as a page', saying(502, FORGED, { 'content-type': 'text/html' })],
    ['instead of JSON', saying(200, FORGED)],
    [
      'as an error about a flag',
      answering(({ flagKey }) => ({
        type: 'ERROR_EVALUATION_RESPONSE_TYPE',
        errorResponse: { flagKey, reason: FORGED },
      })),
    ],
    ['as a variant', answering(orMissing(({ flagKey }) => item.variant(flagKey, FORGED)))],
    [
      'as an attachment',
      answering(orMissing(({ flagKey }) => item.variant(flagKey, 'a', { variantAttachment: FORGED }))),
    ],
  ])('%s', async (_, script) => {
    const server = await serving(script);
    const background = recordingLogger();
    const { client, provider } = await open({ url: server.url, logger: background, initTimeoutMs: 300 });
    const logger = recordingLogger();
    client.setLogger(logger);
    const resolutions = [
      await client.getNumberDetails('a', 1),
      await client.getObjectDetails('a', {}),
      await provider.resolveBooleanEvaluation(FORGED, false, { [FORGED]: FORGED }, logger),
    ];
    const messages = resolutions.map(({ errorMessage }) => errorMessage ?? '');
    const logged = [background, logger].flatMap((one) =>
      Object.values(one).flatMap(({ mock }) => mock.calls.flat()),
    );
    expect(messages.join('')).not.toBe('');
    for (const words of [...messages, ...logged.filter((part) => typeof part === 'string')]) {
      expect(words).not.toMatch(STEERS);
      expect(words.length).toBeLessThan(1000);
    }
  });

  it('by the typed client as well', async () => {
    const server = await serving(saying(400, { code: 3, message: FORGED, details: [] }));
    const client = new FliptClient({ url: server.url, http: PATIENT.http });
    const error: unknown = await client.segments.get('default', 'a').catch((reason: unknown) => reason);
    await client.close();
    expect(error).toBeInstanceOf(FliptServiceError);
    expect((error as FliptServiceError).message).not.toMatch(STEERS);
  });
});
