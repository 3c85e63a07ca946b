import { describe, expect, it } from 'vitest';
import { question } from '../cache/questions.fixture.js';
import { held } from './held.fixture.js';

const flags = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('a batch that is spoilt', () => {
  it('frees its place for the next one while the search goes on', async () => {
    const { ask, end, batches, searches } = held({ maxConcurrent: 1 });
    await ask('a', 'b');
    await ask('c');
    expect(batches()).toEqual([['a', 'b']]);
    await end('a', 400);
    expect(searches()).toEqual([['a'], ['b']]);
    expect(batches()).toEqual([['c']]);
  });

  it('is searched in four parts at once', async () => {
    const { ask, end, searches, outcomes } = held();
    await ask(...flags('a', 8));
    await end('a0', 500);
    expect(searches()).toEqual([
      ['a0', 'a1'],
      ['a2', 'a3'],
      ['a4', 'a5'],
      ['a6', 'a7'],
    ]);
    await end('a2');
    // Questions of a part that succeeds do not wait for the other parts.
    expect(outcomes).toEqual(['a2 ok', 'a3 ok']);
  });

  it('does not ask a part that waited until its callers had given up', async () => {
    const { clock, ask, askUntil, end, searches, outcomes } = held({ maxItems: 4 });
    await ask(...flags('a', 4), ...flags('b', 4), 'other');
    await askUntil(clock.now() + 1_000, ...flags('c', 4));
    await end('other');
    for (const first of ['a0', 'b0', 'c0']) await end(first, 400);
    await clock.advance(1_000);
    await end('a1');
    expect(searches()).toEqual(['a0', 'a2', 'a3', ...flags('b', 4)].map((flag) => [flag]));
    expect(outcomes.slice(2)).toEqual(flags('c', 4).map((flag) => `${flag} failed`));
  });
});

describe('searches while nothing succeeds', () => {
  it('run one at a time, until the first one finds that any request has succeeded', async () => {
    const { ask, end, searches } = held({ maxItems: 4 });
    await ask(...flags('a', 4), ...flags('b', 4), 'other');
    for (const first of ['a0', 'b0']) await end(first, 400);
    expect(searches()).toEqual(flags('a', 4).map((flag) => [flag]));
    await end('other');
    for (const flag of flags('a', 4)) await end(flag, 400);
    expect(searches()).toEqual(flags('b', 4).map((flag) => [flag]));
  });

  it('still run one at a time if only earlier batches have seen a success', async () => {
    const { ask, end, searches } = held({ maxItems: 4 });
    await ask(...flags('a', 4), ...flags('b', 4), 'other');
    for (const first of ['a0', 'b0']) await end(first, 400);
    await end('other');
    await ask(...flags('c', 4), ...flags('d', 4));
    for (const first of ['c0', 'd0']) await end(first, 400);
    for (const flag of [...flags('a', 4), ...flags('b', 4)]) await end(flag, 400);
    expect(searches()).toEqual(flags('c', 4).map((flag) => [flag]));
  });

  it('are brief for 5 s if nothing has succeeded for a second before', async () => {
    const { clock, ask, end, searches } = held();
    const isBrief = async (prefix: string) => {
      await ask(...flags(prefix, 8));
      await end(`${prefix}0`, 400);
      for (const [flag = ''] of searches()) await end(flag, 400);
      const rest = searches();
      for (const [flag = ''] of rest) await end(flag, 400);
      return rest.length === 0;
    };
    await ask('well');
    await end('well');
    await clock.advance(1_000);
    expect([await isBrief('a'), await isBrief('b')]).toEqual([false, false]);
    await clock.advance(1);
    expect([await isBrief('c'), await isBrief('d')]).toEqual([false, true]);
    await clock.advance(4_999);
    expect(await isBrief('e')).toBe(true);
    await clock.advance(1);
    expect(await isBrief('f')).toBe(false);
  });

  it('ask what another one has not blamed meanwhile in one request', async () => {
    const { ask, end, searches, outcomes } = held();
    await ask('broken', 'x');
    await ask(question('broken', 'ben'), 'y', 'z');
    for (const flag of ['x', 'y']) await end(flag, 500);
    await end('broken', 500);
    await end('x');
    expect(searches()).toEqual([['y', 'z']]);
    expect(outcomes).toEqual(['x ok', 'broken failed', 'broken failed']);
  });
});

describe('a 500', () => {
  it('blames the flag for everybody at once', async () => {
    const { ask, breakFlag, batches } = held();
    await breakFlag('broken');
    await ask(question('broken', 'ann'), question('broken', 'ben'), 'x', 'y');
    expect(batches()).toEqual([
      ['broken', 'broken'],
      ['x', 'y'],
    ]);
  });
});

describe.each([400, 404])('a %s', (status) => {
  it('blames the question only', async () => {
    const { ask, end, batches } = held();
    await ask(question('f', 'bad'), 'x');
    await end('f', status);
    await end('f', status);
    await end('x');
    await ask(question('f', 'good'), question('f', 'bad'), 'x');
    expect(batches()).toEqual([['f', 'x'], ['f']]);
  });

  it('of one question blames the question again after 30 s, and not the flag', async () => {
    const { clock, ask, end, breakFlag, batches } = held();
    for (let time = 0; time < 3; time++) {
      await breakFlag(`broken-${time}`);
      await ask(question('f', 'bad'), 'x');
      await end('f', status);
      await end('f', status);
      await end('x');
      await clock.advance(30_000);
    }
    await ask(question('f', 'good'), 'x');
    expect(batches()).toEqual([['f', 'x']]);
  });

  it('of three questions blames the flag, unless another one about it was answered meanwhile', async () => {
    const { ask, end, batches } = held();
    const refuse = async (entity: string) => {
      await ask(question('f', entity), 'x');
      await end('f', status);
      await end('f', status);
      await end('x');
    };
    await refuse('1');
    await refuse('2');
    await ask(question('f', 'good'));
    await end('f');
    await refuse('3');
    await ask(question('f', 'good'), 'x');
    expect(batches()).toEqual([['f', 'x']]);
    await end('f', status);
    await end('f', status);
    await end('x');
    await refuse('4');
    await ask(question('f', 'anybody'), 'x');
    expect(batches()).toEqual([['f'], ['x']]);
  });
});

describe('suspects', () => {
  it('are sent in up to 4 extra requests at once, one for each flag', async () => {
    const { ask, end, breakFlag, batches } = held({ maxConcurrent: 1 });
    const broken = flags('broken', 5);
    for (const flag of broken) await breakFlag(flag);
    await ask('healthy');
    await ask(...broken, ...broken.map((flag) => question(flag, 'another')));
    expect(batches()).toEqual([['healthy'], ...broken.slice(0, 4).map((flag) => [flag, flag])]);
    await ask(question('broken0', 'later'));
    expect(batches()).toHaveLength(5);
    await end('broken1', 500);
    expect(batches().at(-1)).toEqual(['broken4', 'broken4']);
  });

  it('whose blame has expired are sent with all others after one question has tested the flag', async () => {
    const { clock, ask, end, breakFlag, batches } = held();
    await breakFlag('broken');
    await clock.advance(30_000);
    const three = ['ann', 'ben', 'cem'].map((entity) => question('broken', entity));
    await ask(...three, 'x');
    expect(batches()).toEqual([['broken'], ['x']]);
    await end('x');
    await end('broken');
    expect(batches()).toEqual([['broken', 'broken']]);
    await ask(question('broken', 'dee'), 'y');
    expect(batches().at(-1)).toEqual(['broken', 'y']);
  });

  it('whose test fails are blamed for another 30 s', async () => {
    const { clock, ask, end, breakFlag, batches, searches } = held();
    await breakFlag('broken');
    await clock.advance(30_000);
    await ask(question('broken', 'ann'), question('broken', 'ben'), 'x');
    await end('broken', 500);
    expect(searches()).toEqual([]);
    expect(batches()).toEqual([['x'], ['broken']]);
    await end('broken', 500);
    await clock.advance(29_999);
    await ask('broken', 'y');
    expect(batches().slice(1)).toEqual([['broken'], ['y']]);
  });

  it('that nobody asks about any more are forgotten', async () => {
    const { clock, ask, breakFlag, batches } = held();
    await breakFlag('broken');
    await clock.advance(60_000);
    await ask('broken', 'x');
    expect(batches()).toEqual([['broken', 'x']]);
  });
});
