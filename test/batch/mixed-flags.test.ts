import { describe, expect, it } from 'vitest';
import { question } from '../cache/questions.fixture.js';
import { held } from './held.fixture.js';
import { setUp } from './isolated.fixture.js';

const about = (flag: string, ...entities: string[]) => entities.map((entity) => question(flag, entity));

/** Three questions about the flag are found to spoil their batches, so that the flag is blamed. */
async function blamed() {
  const its = held();
  for (const entity of ['1', '2', '3']) {
    await its.ask(question('f', entity), 'x');
    await its.end('f', 400);
    await its.end('f', 400);
    await its.end('x');
  }
  its.outcomes.length = 0;
  return its;
}

describe('a flag that was blamed for three of its questions', () => {
  it('is asked for in parts: another question may be fine', async () => {
    const { ask, end, batches, searches, outcomes } = await blamed();
    await ask(...about('f', 'bad', 'good'), 'y');
    expect(batches()).toEqual([['f', 'f'], ['y']]);
    await end('f', 400);
    expect(searches()).toEqual([['f'], ['f']]);
    await end('f', 400);
    await end('f');
    expect(outcomes).toEqual(['f ok', 'f failed']);
  });

  it('is searched at most once a second', async () => {
    const { clock, ask, end, searches, outcomes } = await blamed();
    await ask(...about('f', '4', '5'));
    await end('f', 400);
    await end('f', 400);
    await end('f', 400);
    await ask('well');
    await end('well');
    await ask(...about('f', '6', '7'));
    await end('f', 400);
    expect(searches()).toEqual([]);
    expect(outcomes.filter((outcome) => outcome !== 'well ok')).toEqual(Array(4).fill('f failed'));
    await clock.advance(1_000);
    await ask('well');
    await end('well');
    await ask(...about('f', '8', '9'));
    await end('f', 400);
    expect(searches()).toEqual([['f'], ['f']]);
  });

  it('is not blamed again for 30 s once a question about it was answered', async () => {
    const { clock, ask, end, batches } = await blamed();
    await ask(...about('f', 'good'));
    await end('f');
    const refuse = async (entity: string) => {
      await ask(question('f', entity), 'x');
      await end('f', 400);
      await end('f', 400);
      await end('x');
    };
    for (const entity of ['4', '5', '6', '7']) await refuse(entity);
    await ask(question('f', 'anybody'), 'y');
    expect(batches()).toEqual([['f', 'y']]);
    await end('f');
    await clock.advance(30_000);
    for (const entity of ['8', '9', '10']) await refuse(entity);
    await ask(question('f', 'anybody'), 'y');
    expect(batches()).toEqual([['f'], ['y']]);
  });

  it('keeps no question from being asked that shared a batch before the blame', async () => {
    const { ask, end, searches, outcomes } = held();
    for (const entity of ['1', '2', '3']) {
      await ask(question('f', entity), `x${entity}`);
      await end('f', 400);
      if (entity === '3') await ask(question('f', 'good'), 'y');
      await end('f', 400);
      await end(`x${entity}`);
    }
    await end('y', 400);
    expect(searches().flat().toSorted()).toEqual(['f', 'y']);
    await end('f');
    expect(outcomes.at(-1)).toBe('f ok');
  });
});

it('a context that spoils each part that holds a question with it costs the others nothing, though nothing else is asked', async () => {
  const flags = Array.from({ length: 10 }, (_, at) => `f${at}`);
  const { ask } = setUp((questions) => (questions.some(({ entity }) => entity === 'bad') ? 400 : undefined));
  const answers = await ask(flags.flatMap((flag) => about(flag, 'good', 'bad')));
  expect(answers.map(({ kind }) => kind)).toEqual(flags.flatMap(() => ['variant', 'failed']));
});
