import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { originCheck } from '../../../src/local/http/origin-check.js';
import { BASE_FEATURES } from '../requests.fixture.js';
import { SEGMENTS, useServices } from '../running.fixture.js';

const start = useServices();

/** The status of a request with headers that fetch does not send. */
function statusOf(
  url: string,
  where: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<number | undefined> {
  const [method, path] = where.split(' ');
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sending = request({ hostname, port, method, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

describe('a host', () => {
  it.each([
    ['127.0.0.1', [], true],
    ['127.0.0.1:8080', [], true],
    ['localhost:8080', [], true],
    ['LOCALHOST', [], true],
    ['[::1]:8080', [], true],
    ['app.localhost', [], true],
    ['evil.test', [], false],
    ['evil.test:8080', [], false],
    ['127.0.0.1.evil.test', [], false],
    ['192.0.2.1', [], false],
    ['192.0.2.1:80', ['192.0.2.1'], true],
    ['[2001:db8::1]:80', ['2001:db8::1'], true],
    ['192.0.2.1', ['0.0.0.0'], true],
    ['[2001:db8::1]', ['::'], true],
    ['evil.test', ['0.0.0.0'], false],
    ['flipt:8080', ['0.0.0.0', 'flipt'], true],
    ['FLIPT', ['flipt'], true],
    ['', [], false],
  ])('%s, with %j allowed: %s', (host, allowed, passes) => {
    const check = () => {
      originCheck(allowed)({ host, origin: undefined });
    };
    if (passes) expect(check).not.toThrow();
    else expect(check).toThrow(/^the host ".*" is not allowed; add it to allowHosts \(--allow-host\)$/);
  });

  it('may be missing: no browser leaves it out', () => {
    expect(() => {
      originCheck([])({ host: undefined, origin: undefined });
    }).not.toThrow();
  });
});

describe('an origin', () => {
  it.each([
    ['http://localhost:3000', true],
    ['https://127.0.0.1', true],
    ['http://[::1]:3000', true],
    ['https://app.test', true],
    ['https://evil.test', false],
    ['https://localhost.evil.test', false],
    ['null', false],
    ['file://', false],
    ['chrome-extension://localhost', false],
  ])('%s: %s', (origin, passes) => {
    const check = () => {
      originCheck(['app.test'])({ host: 'localhost', origin });
    };
    if (passes) expect(check).not.toThrow();
    else expect(check).toThrow(/^requests of pages from ".*" are not allowed/);
  });
});

describe('an origin, where any address may be the service’s', () => {
  it.each([
    ['http://192.0.2.1:8080', true],
    ['http://192.0.2.1:3000', true],
    ['http://localhost:3000', true],
    ['http://203.0.113.5', false],
    ['http://[2001:db8::1]', false],
  ])('%s: %s', (origin, passes) => {
    const check = () => {
      originCheck(['0.0.0.0'])({ host: '192.0.2.1:8080', origin });
    };
    if (passes) expect(check).not.toThrow();
    else expect(check).toThrow(/^requests of pages from ".*" are not allowed/);
  });
});

const PORT_AND_TYPE = { Origin: 'http://localhost:1', 'Content-Type': 'text/plain' };

describe('a page of another site', () => {
  const body = '{"key":"made","name":"Made"}';
  const made = (url: string) => statusOf(url, `GET ${SEGMENTS}/made`, {});

  it.each([
    ['its own host', { Host: 'evil.test' }, 403],
    ['its origin', { Origin: 'https://evil.test' }, 403],
    ['a form’s type', { 'Content-Type': 'text/plain' }, 415],
    ['a form’s other type', { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
    ['another port of this machine, and no type', { Origin: 'http://localhost:1' }, 415],
    ['another port of this machine, and a form’s type', PORT_AND_TYPE, 415],
    ['a type that only looks like JSON', { 'Content-Type': 'text/plain;application/json' }, 415],
  ])('changes nothing with %s', async (_, headers, status) => {
    const { url } = await start();
    expect(await statusOf(url, `POST ${SEGMENTS}`, headers, body)).toBe(status);
    expect(await made(url)).toBe(404);
  });

  it.each([
    {},
    { 'Content-Type': 'application/json' },
    { 'Content-Type': 'Application/JSON; charset=utf-8' },
  ])('does not include other clients, with %j', async (headers) => {
    const { url } = await start();
    expect(await statusOf(url, `POST ${SEGMENTS}`, headers, body)).toBe(200);
    expect(await made(url)).toBe(200);
  });

  it('may evaluate with any type, as with Flipt', async () => {
    const { url } = await start();
    const headers = { 'Content-Type': 'text/plain' };
    expect(await statusOf(url, 'POST /evaluate/v1/batch', headers, '{}')).toBe(200);
  });

  it('may be allowed', async () => {
    const { url } = await start({ features: BASE_FEATURES, allowHosts: ['app.test'] });
    const headers = {
      Host: 'app.test:8080',
      Origin: 'https://app.test',
      'Content-Type': 'application/json',
    };
    expect(await statusOf(url, `POST ${SEGMENTS}`, headers, body)).toBe(200);
  });
});

describe('a target in absolute form', () => {
  it('is routed, and its host wins over the header’s', async () => {
    const { url } = await start();
    expect(await statusOf(url, `GET ${url}/health`, {})).toBe(200);
    expect(await statusOf(url, `GET ${url}${SEGMENTS}?limit=1`, {})).toBe(200);
    expect(await statusOf(url, 'GET http://evil.test/health', {})).toBe(403);
  });
});
