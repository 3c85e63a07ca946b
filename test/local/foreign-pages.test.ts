import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { BASE_FEATURES } from './requests.fixture.js';
import { SEGMENTS, useServices } from './running.fixture.js';

const start = useServices();

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
}

/** Sends headers that `fetch` would not send. */
function answered(
  url: string,
  where: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Answered> {
  const [method, path] = where.split(' ');
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sending = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += String(chunk)));
      response.on('end', () => {
        resolve({ status: response.statusCode, text });
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

describe('a host', () => {
  it.each([
    ['127.0.0.1', [], 200],
    ['127.0.0.1:8080', [], 200],
    ['LOCALHOST:8080', [], 200],
    ['[::1]:8080', [], 200],
    ['app.localhost', [], 200],
    ['evil.test', [], 403],
    ['127.0.0.1.evil.test', [], 403],
    ['192.0.2.1', [], 403],
    ['192.0.2.1:80', ['192.0.2.1'], 200],
    ['[2001:db8::1]:80', ['2001:db8::1'], 200],
    ['192.0.2.1', ['0.0.0.0'], 200],
    ['[2001:db8::1]', ['::'], 200],
    ['evil.test', ['0.0.0.0'], 403],
    ['FLIPT:8080', ['flipt'], 200],
  ])('%s, with %j allowed: %i', async (Host, allowHosts, status) => {
    const { url } = await start({ features: BASE_FEATURES, allowHosts });
    const answer = await answered(url, 'GET /health', { Host });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.text).toMatch(/the host .* is not allowed; add it to allowHosts/);
  });

  it('of a whole address in the request line counts more than the header', async () => {
    const { url } = await start();
    expect(await answered(url, `GET ${url}/health`, {})).toMatchObject({ status: 200 });
    expect(await answered(url, `GET ${url}${SEGMENTS}?limit=1`, {})).toMatchObject({ status: 200 });
    expect(await answered(url, 'GET http://evil.test/health', {})).toMatchObject({ status: 403 });
  });

  it('is no part of a path that begins with two slashes', async () => {
    const { url } = await start();
    expect(await answered(url, `GET /${SEGMENTS}`, {})).toMatchObject({ status: 404 });
    expect(await answered(url, `GET /${SEGMENTS}`, { Host: 'evil.test' })).toMatchObject({ status: 403 });
  });
});

describe('an origin', () => {
  it.each([
    ['http://localhost:3000', 200],
    ['https://127.0.0.1', 200],
    ['http://[::1]:3000', 200],
    ['https://app.test', 200],
    ['https://evil.test', 403],
    ['https://localhost.evil.test', 403],
    ['null', 403],
    ['file://', 403],
    ['chrome-extension://localhost', 403],
  ])('%s: %i', async (Origin, status) => {
    const { url } = await start({ features: BASE_FEATURES, allowHosts: ['app.test'] });
    const answer = await answered(url, 'GET /health', { Origin });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.text).toMatch(/requests of pages from .* are not allowed/);
  });

  it.each([
    ['http://192.0.2.1:3000', 200],
    ['http://203.0.113.5', 403],
    ['http://[2001:db8::1]', 403],
  ])('%s, where any address may be the service’s: %i', async (Origin, status) => {
    const { url } = await start({ features: BASE_FEATURES, allowHosts: ['0.0.0.0'] });
    const answer = await answered(url, 'GET /health', { Host: '192.0.2.1:8080', Origin });
    expect(answer.status).toBe(status);
  });
});

describe('a page of another site', () => {
  const body = '{"key":"made","name":"Made"}';
  const isMade = async (url: string) => (await answered(url, `GET ${SEGMENTS}/made`, {})).status === 200;

  it.each([
    ['its own host', { Host: 'evil.test' }, 403],
    ['its origin', { Origin: 'https://evil.test' }, 403],
    ['a form’s type', { 'Content-Type': 'text/plain' }, 415],
    ['a form’s other type', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    ['another port of this machine, and no type', { Origin: 'http://localhost:1' }, 415],
    ['a type that only looks like JSON', { 'Content-Type': 'text/plain;application/json' }, 415],
  ])('changes nothing with %s', async (_, headers, status) => {
    const { url } = await start();
    expect(await answered(url, `POST ${SEGMENTS}`, headers, body)).toMatchObject({ status });
    expect(await isMade(url)).toBe(false);
  });

  it.each([
    {},
    { 'Content-Type': 'application/json' },
    { 'Content-Type': 'Application/JSON; charset=utf-8' },
    { Host: 'app.test:8080', Origin: 'https://app.test', 'Content-Type': 'application/json' },
  ])('does not include other clients and allowed pages, with %j', async (headers) => {
    const { url } = await start({ features: BASE_FEATURES, allowHosts: ['app.test'] });
    await answered(url, `POST ${SEGMENTS}`, headers, body);
    expect(await isMade(url)).toBe(true);
  });

  it('may evaluate with any type, as with Flipt', async () => {
    const { url } = await start();
    const headers = { 'Content-Type': 'text/plain' };
    expect(await answered(url, 'POST /evaluate/v1/batch', headers, '{}')).toMatchObject({ status: 200 });
  });
});
