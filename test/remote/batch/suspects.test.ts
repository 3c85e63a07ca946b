import { describe, expect, it } from 'vitest';
import { question } from '../cache/questions.fixture.js';
import { held } from './held.fixture.js';
import { setUp, spoiltBy } from './isolated.fixture.js';

const flags = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('a suspect', () => {
  it('travels apart for 30 s, and then with the others again', async () => {
    const { clock, ask, breakFlag, batches } = held();
    await breakFlag('broken');
    await clock.advance(29_999);
    await ask('x', 'broken', question('broken', 'ann'));
    expect(batches()).toEqual([['x'], ['broken'], ['broken']]);
    await clock.advance(1);
    await ask('y', question('broken', 'ben'));
    expect(batches().at(-1)).toEqual(['y', 'broken']);
  });

  it('travels apart for 30 s more after each request that it spoils', async () => {
    const { clock, ask, end, breakFlag, batches, parts, outcomes } = held();
    await breakFlag('broken');
    await clock.advance(20_000);
    await ask(question('broken', 'ann'), question('broken', 'ben'));
    outcomes.length = 0;
    await end('broken', 500);
    // It is not divided again.
    expect([outcomes, parts()]).toEqual([['broken failed', 'broken failed'], []]);
    await clock.advance(29_999);
    await ask('x', question('broken', 'cem'));
    expect(batches()).toEqual([['x'], ['broken']]);
  });

  it('that is a flag travels with all others again as soon as a question about it is answered', async () => {
    const { ask, end, breakFlag, batches } = held();
    await breakFlag('broken');
    await ask(question('broken', 'ann'));
    await end('broken');
    await ask('x', question('broken', 'ben'));
    expect(batches()).toEqual([['x', 'broken']]);
  });

  it('that is a question travels alone, although its flag is answered for others', async () => {
    const { ask, requests } = setUp((asked) =>
      asked.some(({ entity }) => entity === 'bad') ? 400 : undefined,
    );
    await ask([question('f', 'bad'), question('f', 'good')]);
    requests.length = 0;
    await ask([question('f', 'good'), question('g', 'good'), question('f', 'bad')]);
    expect(requests).toEqual([['f', 'g'], ['f']]);
  });

  it('is not its flag if another request brings an answer about the flag meanwhile', async () => {
    const { ask, end, batches } = held({ maxItems: 2 });
    await ask(question('f', 'bad'), 'x', question('f', 'good'), 'y');
    await end('x', 400);
    await end('y');
    await end('f', 400);
    await end('x');
    await ask('z', question('f', 'another'));
    expect(batches()).toEqual([['z', 'f']]);
  });

  it('is remembered longer than a thousand that were found earlier', async () => {
    const odd = flags('odd-', 501);
    const { ask, requests } = setUp(spoiltBy(400, ...odd));
    for (const flag of odd) await ask([question(flag), question('x')]);
    requests.length = 0;
    await ask([question('odd-500'), question('x'), question('y')]);
    expect(requests).toEqual([['odd-500'], ['x', 'y']]);
    requests.length = 0;
    await ask([question('odd-0'), question('x')]);
    expect(requests[0]).toEqual(['odd-0', 'x']);
  });
});

describe('suspects', () => {
  it('are sent beside the others, up to 4 at once, and one request for each', async () => {
    const { ask, end, breakFlag, batches } = held({ maxConcurrent: 1 });
    const broken = flags('broken', 5);
    for (const flag of broken) await breakFlag(flag);
    await ask('healthy');
    await ask(...broken.flatMap((flag) => [question(flag, 'ann'), question(flag, 'ben')]));
    expect(batches()).toEqual([['healthy'], ...broken.slice(0, 4).map((flag) => [flag, flag])]);
    await ask(question('broken0', 'later'));
    expect(batches()).toHaveLength(5);
    await end('broken1', 500);
    expect(batches().at(-1)).toEqual(['broken4', 'broken4']);
  });
});

describe('a batch that is divided', () => {
  it('frees its place for the next one', async () => {
    const { ask, end, batches, parts } = held({ maxConcurrent: 1 });
    await ask('a', 'b');
    await ask('c');
    await end('a', 400);
    expect([parts(), batches()]).toEqual([[['a'], ['b']], [['c']]]);
  });
});

describe('of all batches and suspects', () => {
  it('8 extra requests are under way at once', async () => {
    const { ask, end, breakFlag, batches, parts } = held({ maxItems: 2 });
    await breakFlag('broken');
    await ask('broken');
    await ask(...flags('a', 10));
    for (let at = 0; at < 10; at += 2) await end(`a${at}`, 400);
    expect([batches(), parts()]).toEqual([[['broken']], flags('a', 7).map((flag) => [flag])]);
    await ask(question('broken', 'ann'));
    await end('broken', 500);
    expect([batches(), parts()]).toEqual([[], flags('a', 8).map((flag) => [flag])]);
  });

  it('none is sent for callers that have given up while it waited', async () => {
    const { clock, ask, askUntil, end, parts, outcomes } = held({ maxItems: 2 });
    await ask(...flags('a', 8));
    await askUntil(clock.now() + 1_000, 'late1', 'late2');
    for (const flag of ['a0', 'a2', 'a4', 'a6', 'late1']) await end(flag, 400);
    await clock.advance(1_000);
    await end('a0');
    expect(parts()).toEqual(
      flags('a', 8)
        .slice(1)
        .map((flag) => [flag]),
    );
    expect(outcomes).toEqual(['a0 ok', 'late1 failed', 'late2 failed']);
  });
});
