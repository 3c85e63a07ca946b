import { describe, expect, it } from 'vitest';
import { type Reply, failureKindOf } from '../../src/http/reply.js';
import { serviceErrorOf, statusFailure } from '../../src/http/failures.js';
import { replied as reply } from './outcomes.fixture.js';

describe('a status other than 200 is described', () => {
  it.each<[string, Reply, string]>([
    [
      "with the service's words",
      reply(400, '{"code":3,"message":"bad context","details":[]}'),
      '400: bad context',
    ],
    [
      'with advice for a 401',
      reply(401, '{"code":16,"message":"no token"}'),
      '401: no token; check the option auth',
    ],
    ['with advice for a 401 without words', reply(401, ''), '401: unauthorized; check the option auth'],
    ['with advice for a 403', reply(403, '<html>'), '403: forbidden (check what the credentials allow)'],
    [
      'with advice for a path that Flipt does not know',
      reply(404, '{"code":5,"message":"Not Found"}'),
      '404: Not Found (check the path in the option url)',
    ],
    [
      'with advice for a path that another server does not know',
      reply(404, ''),
      '404 with an empty body (check the path in the option url)',
    ],
    ['without it for what Flipt names', reply(404, '{"code":5,"message":"no x"}'), '404: no x'],
    ['as a redirect', reply(302, ''), '302, a redirect, which is not followed'],
    [
      'as a redirect that says where to',
      reply(307, '', { location: 'https://me:dummy@login.test/start?token=dummy#x' }),
      '307, a redirect to https://login.test/start, which is not followed',
    ],
    [
      'as a redirect to another path',
      reply(301, '', { location: '/flipt/\u001b[2J' }),
      '301, a redirect to /flipt/ [2J, which is not followed',
    ],
    [
      'with what a proxy says',
      reply(502, '<html>\n<h1>Bad Gateway', { 'content-type': 'text/html; charset=utf-8' }),
      '502 with text/html beginning "<html> <h1>Bad Gateway"',
    ],
    [
      'with an encoding that was not asked for',
      reply(502, '\u001b%\u0000', { 'content-type': 'application/json', 'content-encoding': 'br' }),
      '502 with a body in the encoding "br", which was not asked for',
    ],
    ['with nothing', reply(503, ' '), '503 with an empty body'],
    ['with a body of no type', reply(500, 'oops'), '500 with a body beginning "oops"'],
    [
      'with words that are none',
      reply(500, '{"message":5}'),
      '500 with a body beginning "{\\"message\\":5}"',
    ],
  ])('%s', (_, answered, words) => {
    expect(statusFailure('http://flipt.test', answered)).toMatchObject({
      kind: failureKindOf(answered.status),
      message: `Flipt at http://flipt.test answered ${words}`,
    });
  });
});

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const deep = (levels: number) => `{"message":"m","details":${nested(levels)}}`;

describe("the service's error body", () => {
  it.each<[string, unknown]>([
    ['{"code":5,"message":"m","details":[1]}', { code: 5, message: 'm', details: [1] }],
    ['{"code":"5","message":"m","details":{}}', { code: undefined, message: 'm', details: [] }],
    ['{"message":"m"}', { code: undefined, message: 'm', details: [] }],
    [deep(32), { code: undefined, message: 'm', details: JSON.parse(nested(32)) as unknown[] }],
    [deep(33), undefined],
    ['{"error":"m"}', undefined],
    ['{"message":null}', undefined],
    ['null', undefined],
    ['"message"', undefined],
    ['not JSON', undefined],
  ])('%s', (text, expected) => {
    expect(serviceErrorOf(reply(500, text))).toEqual(expected);
  });
});
