import { describe, expect, it } from 'vitest';
import type { FliptClient } from '../../src/client/index.js';
import { answerJson } from '../servers/scripted.fixture.js';
import { EMPTY_BATCH, failureOf, SEGMENT, serving } from './serving.fixture.js';

describe('an answer', () => {
  it.each([
    ['HTML', '<html>', 'not JSON'],
    ['nothing', '', 'not JSON'],
    ['a list', '[]', 'expected an object, got a list'],
    ['null', 'null', 'expected an object, got null'],
  ])('that is %s is reported as unreadable', async (_, body, words) => {
    const { client } = await serving((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    const error = await failureOf(client.segments.get('default', 'beta'));
    expect(error).toMatchObject({ status: 200, code: 'INTERNAL' });
    expect(error.message).toContain(words);
    expect(error.message).toContain('segments.get');
  });

  it.each<[string, (client: FliptClient) => Promise<unknown>, object, string]>([
    [
      'segments.list',
      ({ segments }) => segments.list('default'),
      { segments: { a: SEGMENT } },
      'segments: expected a list, got an object',
    ],
    [
      'evaluation.batch',
      ({ evaluation }) => evaluation.batch([]),
      {},
      'responses: expected a list, got undefined',
    ],
    [
      'evaluation.batch',
      ({ evaluation }) => evaluation.batch([{ flagKey: 'a' }]),
      EMPTY_BATCH,
      'responses: expected a list of 1, got a list of 0',
    ],
    [
      'evaluation.batch',
      ({ evaluation }) => evaluation.batch([{ flagKey: 'a' }]),
      { responses: [{ type: 'constructor' }] },
      'responses.0: expected a type of response',
    ],
    [
      'evaluation.batch',
      ({ evaluation }) => evaluation.batch([{ flagKey: 'a' }]),
      { responses: [{ type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE' }] },
      'responses.0: expected a type of response, and its member',
    ],
  ])('of %s with the wrong lists or types is unreadable', async (operation, call, answer, words) => {
    const { client } = await serving((_, response) => {
      answerJson(response, answer);
    });
    const error = await failureOf(call(client));
    expect(error).toMatchObject({ status: 200, code: 'INTERNAL', operation });
    expect(error.message).toContain(words);
  });

  it('is unreadable without a content type, and beyond 16 MB', async () => {
    const { client } = await serving(
      ({ path }, response) =>
        path.endsWith('large')
          ? response.writeHead(200).end(' '.repeat(17 * 1024 * 1024))
          : response.writeHead(200).end('x'),
      { http: { timeoutMs: 10_000 } },
    );
    expect((await failureOf(client.tokens.get('a'))).message).toContain('no content type: not JSON');
    expect(await failureOf(client.tokens.get('large'))).toMatchObject({ code: 'INTERNAL' });
  });

  it.each<[string, (client: FliptClient) => AsyncIterable<unknown>, string, readonly string[]]>([
    ['the same', ({ segments }) => segments.iterate('default'), 'segments.list', ['a', 'a']],
    ['an earlier', ({ rules }) => rules.iterate('default', 'banner'), 'rules.list', ['a', 'b', 'a']],
  ])('ends the iteration if a page gives %s token again', async (_, iterate, name, tokens) => {
    const { client, server } = await serving((_, response) => {
      const nextPageToken = tokens[server.requests.length - 1] ?? '';
      answerJson(response, { segments: [], rules: [], nextPageToken, totalCount: 9 });
    });
    const goThrough = async () => {
      const entries: unknown[] = [];
      for await (const entry of iterate(client)) entries.push(entry);
      return entries;
    };
    const error = await failureOf(goThrough());
    expect(error).toMatchObject({ code: 'INTERNAL', status: 200, operation: name });
    expect(error.message).toContain('a page whose nextPageToken has not come before');
    expect(server.requests).toHaveLength(tokens.length);
  });

  it('may have the number of an enum that has no word', async () => {
    const { client, server } = await serving(({ method }, response) => {
      const segment = { ...SEGMENT, matchType: 7 };
      const page = { segments: [SEGMENT, segment], nextPageToken: '', totalCount: 2 };
      answerJson(response, method === 'PUT' ? segment : page);
    });
    const { segments } = await client.segments.list('default');
    expect(segments.map(({ matchType }) => matchType)).toEqual(['ALL_MATCH_TYPE', 7]);
    await client.segments.update('default', 'beta', segments[1]!);
    expect(JSON.parse(server.requests[1]?.body ?? '')).toMatchObject({ matchType: 7 });
  });

  it('may leave out fields, and have fields and words of later versions', async () => {
    const { createdAt, updatedAt } = SEGMENT;
    const token = {
      id: 'a',
      method: 'METHOD_GITHUB',
      createdAt,
      updatedAt,
      metadata: { constructor: 'web' },
    };
    const booleanResponse = { enabled: true, reason: 'LATER_EVALUATION_REASON', later: 1 };
    const { client } = await serving(({ path }, response) => {
      if (path.startsWith('/auth')) answerJson(response, token);
      else if (path.startsWith('/api')) answerJson(response, { segments: [{ key: 'beta' }] });
      else
        answerJson(response, { responses: [{ type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE', booleanResponse }] });
    });
    expect(await client.tokens.get('a')).toEqual(token);
    const { responses } = await client.evaluation.batch([{ flagKey: 'a' }]);
    expect(responses[0]?.booleanResponse).toEqual(booleanResponse);
    const entries: unknown[] = [];
    for await (const segment of client.segments.iterate('a')) entries.push(segment);
    expect(entries).toEqual([{ key: 'beta' }]);
  });
});
