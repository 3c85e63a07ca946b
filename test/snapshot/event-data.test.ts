import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventData } from '../../src/snapshot/stream.js';

async function* chunksOf(text: string, cuts: readonly number[] = []): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (one, other) => one - other,
  );
  let start = 0;
  for (const end of ends) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const data: string[] = [];
  for await (const one of eventData(chunks)) data.push(one);
  return data;
}

describe('server-sent events', () => {
  it.each([
    ['an id beside the data', 'id: 1\ndata: a\n\n', ['a']],
    ['comments and fields of other names', ': hello\nevent: x\nretry: 5\ndata: a\n\n', ['a']],
    ['data without a space', 'data:a\n\n', ['a']],
    ['data of several lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['other ends of lines', 'data: a\r\n\r\ndata: b\n\n', ['a', 'b']],
    ['an event that is not finished', 'data: a\n\ndata: b\n', ['a']],
    ['no data', 'id: 1\n\n\n\n', []],
  ])('are read with %s', async (_what, text, expected) => {
    expect(await all(chunksOf(text))).toEqual(expected);
  });

  it('are the same, wherever the network cuts them', async () => {
    const text = 'id: 1\ndata: {"etag":"é🎈"}\n\ndata: b\r\n\r\ndata: c\n\n';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 100 })), async (cuts) => {
        expect(await all(chunksOf(text, cuts))).toEqual(['{"etag":"é🎈"}', 'b', 'c']);
      }),
    );
  });

  it.each([
    ['a text', `data: ${'x'.repeat(70_000)}`],
    ['lines without text', 'data:\n'.repeat(70_000)],
  ])('end with an error if %s never ends', async (_what, text) => {
    await expect(all(chunksOf(text))).rejects.toThrow('more than 65536 characters');
  });
});
