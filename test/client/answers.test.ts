import { describe, expect, it } from 'vitest';
import type { FliptClient } from '../../src/client/index.js';
import { answerJson } from '../servers/scripted.fixture.js';
import { EMPTY_BATCH, failureOf, SEGMENT, serving } from './serving.fixture.js';

describe('an answer', () => {
  it.each([
    ['HTML', '<html>', 'not JSON'],
    ['nothing', '', 'not JSON'],
    ['a list', '[]', 'namespaceKey: missing'],
    ['null', 'null', 'the body: expected Object, got null'],
    ['another thing', '{"segments":[]}', 'namespaceKey: missing'],
    ['a wrong type', JSON.stringify({ ...SEGMENT, name: 5 }), 'name: expected string, got a number'],
    [
      'an unknown enum',
      JSON.stringify({ ...SEGMENT, matchType: 'SOME' }),
      'matchType: expected ALL_MATCH_TYPE or ANY_MATCH_TYPE, got a string',
    ],
    [
      'a wrong type deep inside',
      JSON.stringify({ ...SEGMENT, constraints: [{ id: 'a' }, {}] }),
      'constraints.0.createdAt: missing',
    ],
    [
      'an object for a text',
      JSON.stringify({ ...SEGMENT, description: {} }),
      'description: expected string, got an object',
    ],
  ])('that is %s is reported as unreadable', async (_, body, words) => {
    const { client } = await serving((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    const error = await failureOf(client.segments.get('default', 'beta'));
    expect(error).toMatchObject({ status: 200, code: 'INTERNAL' });
    expect(error.message).toContain(words);
    expect(error.message).toContain('segments.get');
  });

  it('with more or fewer items than were asked for is unreadable', async () => {
    const { client } = await serving((_, response) => {
      answerJson(response, EMPTY_BATCH);
    });
    const error = await failureOf(client.evaluation.batch([{ flagKey: 'a' }]));
    expect(error.message).toContain('responses: expected a list of 1, got a list of 0');
  });

  it('whose metadata are not texts is unreadable', async () => {
    const { client } = await serving((_, response) => {
      const { createdAt, updatedAt } = SEGMENT;
      answerJson(response, { id: 'a', method: 'METHOD_TOKEN', createdAt, updatedAt, metadata: { a: 1 } });
    });
    expect((await failureOf(client.tokens.get('a'))).message).toContain(
      'metadata: expected an object of texts',
    );
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

  it('may still leave out what is not documented as required, and have words of later versions', async () => {
    const { createdAt, updatedAt } = SEGMENT;
    const { client } = await serving(({ path }, response) => {
      if (path.startsWith('/auth')) {
        answerJson(response, {
          id: 'a',
          method: 'METHOD_GITHUB',
          createdAt,
          updatedAt,
          expiresAt: null,
          metadata: {},
        });
      } else if (path.startsWith('/evaluate')) {
        answerJson(response, {
          responses: [
            {
              type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
              booleanResponse: { enabled: true, reason: 7, later: 1 },
            },
          ],
        });
      } else {
        answerJson(response, {
          segments: [{ ...SEGMENT, constraints: [{ id: 'c', createdAt, updatedAt }], later: 1 }],
        });
      }
    });
    expect(await client.tokens.get('a')).toEqual({
      id: 'a',
      method: 'METHOD_GITHUB',
      createdAt,
      updatedAt,
      metadata: {},
    });
    expect((await client.evaluation.batch([{ flagKey: 'a' }])).responses[0]?.booleanResponse).toEqual({
      enabled: true,
      reason: '7',
      flagKey: '',
      requestId: '',
      segmentKeys: [],
      requestDurationMillis: 0,
    });
    const { segments, ...page } = await client.segments.list('a');
    expect(page).toEqual({ nextPageToken: '', totalCount: 0 });
    expect(segments[0]).not.toHaveProperty('later');
    expect(segments[0]?.constraints[0]).toMatchObject({
      type: 'UNKNOWN_COMPARISON_TYPE',
      operator: '',
      value: '',
    });
  });
});
