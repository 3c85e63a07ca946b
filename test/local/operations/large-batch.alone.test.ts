import { describe, expect, it } from 'vitest';
import { evaluateBatch } from '../../../src/local/operations/evaluate-batch.js';
import { NO_PARTS, serviceCore } from '../../../src/local/operations/operation.js';
import { Query } from '../../../src/local/parsing/query.js';
import { parseBody } from '../../../src/local/parsing/json-body.js';
import { Message } from '../../../src/local/parsing/proto-message.js';
import { Store } from '../../../src/local/state/state-store.js';
import { ask, fixedStamp } from '../requests.fixture.js';
import { useServices } from '../running.fixture.js';

const start = useServices();
const MOST_ITEMS = 50_000;
const batch = (items: number): string => `{"requests":[${Array.from({ length: items }, () => '{}').join()}]}`;

describe('a batch', () => {
  it(`has ${MOST_ITEMS} items at most`, async () => {
    const { url } = await start();
    const most = await ask(url, 'POST /evaluate/v1/batch', { body: batch(MOST_ITEMS) });
    expect(most.status).toBe(200);
    expect(most.body.responses).toHaveLength(MOST_ITEMS);
    expect(await ask(url, 'POST /evaluate/v1/batch', { body: batch(MOST_ITEMS + 1) })).toMatchObject({
      status: 413,
      body: { code: 8, message: 'expected at most 50000 items in a list, and members of an object' },
    });
  });

  it('of 16 MB of empty items is refused, and so is any other body of too many values', async () => {
    const { url } = await start();
    const lists = `[${'0,'.repeat(20_000)}0],`.repeat(150);
    for (const body of [batch(5_592_000), `{"extra":[${lists}0]}`]) {
      expect(await ask(url, 'POST /evaluate/v1/batch', { body })).toMatchObject({ status: 413 });
    }
  });
});

/** Counts the turns of the event loop that other work gets meanwhile. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns++;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await work;
  ended = true;
  return turns;
}

describe('other requests get their turn', () => {
  it('while a large body is read', async () => {
    expect(await turnsDuring(parseBody(batch(MOST_ITEMS)))).toBeGreaterThanOrEqual(5);
  });

  it('while a large batch is evaluated', async () => {
    const store = new Store({ namespaces: new Map(), tokens: new Map() });
    const service = serviceCore(store, 'v1', fixedStamp());
    const message = Message.of(await parseBody(batch(MOST_ITEMS)));
    const answering = evaluateBatch(service, {
      path: NO_PARTS,
      query: new Query(''),
      header: () => undefined,
      message,
      text: '',
      caller: { namespaceKey: undefined },
    });
    expect(await turnsDuring(answering)).toBeGreaterThanOrEqual(200);
  });
});
