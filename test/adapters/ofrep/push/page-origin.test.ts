import { expect, it } from 'vitest';
import { isFromOwnPage, originOf } from '../../../../src/adapters/ofrep/page-origin.js';

const request = (headers: Readonly<Record<string, string>>, method = 'GET') =>
  new Request('http://app.test/ofrep/v1/evaluate/flags', {
    method,
    headers: { host: 'app.test', ...headers },
  });

/** Recorded with Chromium 156, over plain http to a name that is not this machine's. */
it.each<[string, Readonly<Record<string, string>>, boolean]>([
  ['an EventSource of the own page', { accept: 'text/event-stream', referer: 'http://app.test/shop' }, true],
  ['an image of another page', { accept: 'image/avif', referer: 'http://elsewhere.test/' }, false],
  ['an image of another page, without its Referer', { accept: 'image/avif' }, false],
  ['a fetch of another page without CORS', { accept: 'text/event-stream' }, false],
  [
    'an EventSource of another page',
    { origin: 'http://elsewhere.test', referer: 'http://elsewhere.test/' },
    false,
  ],
])('over plain http, %s is of the own page: %o, %s', (_, headers, isOwn) => {
  expect(isFromOwnPage(request(headers))).toBe(isOwn);
});

it.each<[Readonly<Record<string, string>>, boolean]>([
  [{ 'sec-fetch-site': 'same-origin' }, true],
  [{ 'sec-fetch-site': 'same-origin', origin: 'http://elsewhere.test' }, false],
  [{ 'sec-fetch-site': 'none' }, false],
  [{ 'sec-fetch-site': 'cross-site', referer: 'http://app.test/' }, false],
  [{ origin: 'http://elsewhere.test', referer: 'http://app.test/' }, false],
  [{ referer: 'http://app.test.elsewhere.test/' }, false],
  [{ referer: 'http://app.test@elsewhere.test/' }, false],
  [{ referer: 'nothing' }, false],
])('%j is of the own page: %s', (headers, isOwn) => {
  expect(isFromOwnPage(request(headers))).toBe(isOwn);
});

it.each<[Readonly<Record<string, string>>, string | undefined]>([
  [{ 'sec-fetch-site': 'same-origin' }, 'http://app.test'],
  [{ 'sec-fetch-site': 'cross-site', referer: 'http://app.test/' }, undefined],
  [{ referer: 'http://app.test/shop' }, 'http://app.test'],
  [{ referer: 'http://elsewhere.test/' }, undefined],
  [{}, undefined],
])('a page that asks with %j is offered the streams of %s', (headers, origin) => {
  expect(originOf(request({ origin: 'http://app.test', ...headers }, 'POST'))).toBe(origin);
});
