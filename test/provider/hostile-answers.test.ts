import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answerJson, answering, item, itemsOf, orMissing, type Script } from '../servers/scripted.fixture.js';
import { open, serving } from './open.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';

useTurningClock();

/** Answers the health check as a service would, and everything else as given. */
const thenRest =
  (rest: Script): Script =>
  (request, response) => {
    if (itemsOf(request).every(({ flagKey }) => flagKey !== '')) return rest(request, response);
    answerJson(response, { responses: [item.missing('')] });
    return undefined;
  };

const saying =
  (status: number, type: string, body: string): Script =>
  (_, response) =>
    response.writeHead(status, { 'content-type': type }).end(body);
const json = (body: unknown): Script => saying(200, 'application/json', JSON.stringify(body));

const HTML = '<!DOCTYPE html>\n<title>Sign in</title>';

const ANSWERS: readonly (readonly [string, Script, string, RegExp])[] = [
  [
    'not JSON',
    saying(200, 'application/json', '{oops'),
    'PARSE_ERROR',
    /returned an unreadable response: .*not JSON/,
  ],
  [
    'in an encoding that was not asked for',
    (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' })
        .end(brotliCompressSync('{"responses":[]}')),
    'PARSE_ERROR',
    /unreadable response: a body in the encoding "br", which was not asked for/,
  ],
  ['empty', saying(200, 'application/json', ''), 'PARSE_ERROR', /an empty body/],
  ['an array', json([item.variant('a', 'b')]), 'PARSE_ERROR', /without a list "responses"/],
  ['null', json(null), 'PARSE_ERROR', /without a list "responses"/],
  ['of another shape', json({ flags: {} }), 'PARSE_ERROR', /without a list "responses"/],
  ['without items', json({ responses: [] }), 'PARSE_ERROR', /0 items for a batch of 1/],
  ['an item of another shape', json({ responses: [5] }), 'PARSE_ERROR', /item 0 does not answer/],
  [
    'about another flag',
    json({ responses: [item.variant('b', 'b')] }),
    'PARSE_ERROR',
    /item 0 does not answer/,
  ],
  [
    'HTML with 200',
    saying(200, 'text/html', HTML),
    'PARSE_ERROR',
    /text\/html beginning .*Sign in.*not JSON/,
  ],
  ['HTML with 502', saying(502, 'text/html', HTML), 'GENERAL', /answered 502 with text\/html beginning/],
  [
    '400 with words',
    saying(400, 'application/json', '{"code":3,"message":"bad context"}'),
    'GENERAL',
    /answered 400: bad context/,
  ],
  [
    '401',
    saying(401, 'application/json', '{"code":16,"message":"not authenticated"}'),
    'GENERAL',
    /answered 401: not authenticated/,
  ],
  ['403', saying(403, 'text/plain', 'no'), 'GENERAL', /answered 403: forbidden/],
  [
    '404',
    saying(404, 'text/plain', 'no route'),
    'GENERAL',
    /answered 404 with text\/plain beginning "no route"/,
  ],
  ['500', saying(500, 'application/json', ''), 'GENERAL', /answered 500 with an empty body/],
  [
    'a redirect',
    (_, response) => response.writeHead(301, { location: '/login' }).end(),
    'GENERAL',
    /301, a redirect/,
  ],
  [
    'cut short',
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"responses":[');
      setImmediate(() => response.socket?.destroy());
    },
    'GENERAL',
    /the request to Flipt at \S+ failed: /,
  ],
  [
    'a reset connection',
    (_, response) => response.socket?.destroy(),
    'GENERAL',
    /the request to Flipt at \S+ failed: /,
  ],
  [
    'an error about the item',
    json({
      responses: [
        {
          type: 'ERROR_EVALUATION_RESPONSE_TYPE',
          errorResponse: { flagKey: 'a', reason: 'UNKNOWN_ERROR_EVALUATION_REASON' },
        },
      ],
    }),
    'GENERAL',
    /could not evaluate flag "a"/,
  ],
];

describe('an unusable answer', () => {
  it.each(ANSWERS)(
    'that is %s gives the default, an error code and a helpful message',
    async (_, rest, errorCode, words) => {
      const server = await serving(thenRest(rest));
      const { client } = await open({ url: server.url });
      const details = await client.getStringDetails('a', 'mine', { targetingKey: 'u' });
      expect(details).toMatchObject({ value: 'mine', reason: 'ERROR', errorCode });
      expect(details.errorMessage).toMatch(words);
      expect(details.errorMessage).not.toMatch(/[\n\r]|Unexpected token|undefined/);
    },
  );

  it('never ends the provider: the next good answer is used', async () => {
    let at = 0;
    const good = answering(({ flagKey }) => item.variant(flagKey, 'good'));
    const bad = ANSWERS.filter(([name]) =>
      ['not JSON', 'an array', 'HTML with 200', 'without items'].includes(name),
    );
    const server = await serving(
      thenRest((request, response) => {
        const script = bad[at++]?.[1] ?? good;
        return script(request, response);
      }),
    );
    const { client } = await open({ url: server.url });
    for (let time = 0; time < bad.length; time++)
      expect(await client.getStringValue('a', 'mine')).toBe('mine');
    expect(await client.getStringValue('a', 'mine')).toBe('good');
  });
});

describe('in a batch of three', () => {
  const three = async (responses: (flags: readonly string[]) => unknown[]) => {
    const server = await serving(
      thenRest((request, response) => {
        answerJson(response, { responses: responses(itemsOf(request).map(({ flagKey }) => flagKey)) });
      }),
    );
    const { client } = await open({ url: server.url });
    const details = await Promise.all(['a', 'b', 'c'].map((flag) => client.getStringDetails(flag, 'mine')));
    return details.map(({ value, errorCode }) => errorCode ?? value);
  };
  const own = (flag: string) => item.variant(flag, `of ${flag}`);

  it.each<[string, (flags: readonly string[]) => unknown[], readonly string[]]>([
    ['a bad item', ([a, , c]) => [own(a!), { type: 'X' }, own(c!)], ['of a', 'PARSE_ERROR', 'of c']],
    ['a null item', ([a, , c]) => [own(a!), null, own(c!)], ['of a', 'PARSE_ERROR', 'of c']],
    ['a repeated item', ([a, , c]) => [own(a!), own(a!), own(c!)], ['of a', 'PARSE_ERROR', 'of c']],
    ['items exchanged', ([a, b, c]) => [own(a!), own(c!), own(b!)], ['of a', 'PARSE_ERROR', 'PARSE_ERROR']],
    ['the last item missing', ([a, b]) => [own(a!), own(b!)], ['PARSE_ERROR', 'PARSE_ERROR', 'PARSE_ERROR']],
    [
      'an item too many',
      ([a, b, c]) => [own(a!), own(b!), own(c!), own(c!)],
      ['PARSE_ERROR', 'PARSE_ERROR', 'PARSE_ERROR'],
    ],
    [
      'the first item missing',
      ([, b, c]) => [own(b!), own(c!)],
      ['PARSE_ERROR', 'PARSE_ERROR', 'PARSE_ERROR'],
    ],
  ])('%s gives nobody the answer of another question', async (_, responses, expected) => {
    expect(await three(responses)).toEqual(expected);
  });
});

describe('a question that spoils its batch', () => {
  it.each([400, 500])('with %s leaves the answers of all others as they are', async (status) => {
    const server = await serving((request, response) => {
      if (itemsOf(request).some(({ context }) => context.bad !== undefined))
        answerJson(response, { code: 3, message: 'bad' }, status);
      else answering(orMissing(({ flagKey }) => item.variant(flagKey, 'fine')))(request, response);
    });
    const { client } = await open({ url: server.url });
    const details = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        client.getStringDetails(`f${at}`, 'mine', at === 7 ? { bad: 1 } : {}),
      ),
    );
    for (const [at, one] of details.entries()) {
      if (at === 7) expect(one).toMatchObject({ value: 'mine', errorCode: 'GENERAL' });
      else expect(one).toMatchObject({ value: 'fine', reason: 'TARGETING_MATCH' });
    }
  });
});

it('an item that Flipt cannot evaluate, as newer v2 reports it, fails alone: GENERAL, and all else goes on', async () => {
  const failed = (flagKey: string) => ({
    type: 'ERROR_EVALUATION_RESPONSE_TYPE',
    errorResponse: { flagKey, namespaceKey: 'default', reason: 'UNKNOWN_ERROR_EVALUATION_REASON' },
  });
  const server = await serving(
    answering(
      orMissing(({ flagKey }) => (flagKey === 'f7' ? failed(flagKey) : item.variant(flagKey, 'fine'))),
    ),
  );
  const { client, provider } = await open({ url: server.url, breaker: { failures: 1 } });
  const before = server.requests.length;
  const details = await Promise.all(
    Array.from({ length: 20 }, (_, at) => client.getStringDetails(`f${at}`, 'mine')),
  );
  expect(details.filter(({ value }) => value === 'fine')).toHaveLength(19);
  expect(details[7]).toMatchObject({ value: 'mine', reason: 'ERROR', errorCode: 'GENERAL' });
  expect(server.requests.length - before, 'one batch, and no search').toBe(1);
  expect(provider.getStatus()).toMatchObject({ condition: 'ready', circuit: { state: 'closed' } });
});
