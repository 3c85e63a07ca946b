import { describe, expect, it } from 'vitest';
import { ask, evaluate } from './requests.fixture.js';
import { SEGMENTS, useServices } from './running.fixture.js';

const start = useServices();

describe('changes made through the interface', () => {
  it('with an enum that has no name are kept as its number', async () => {
    const { url } = await start();
    const matchType = { key: 'odd', name: 'Odd', matchType: 7 };
    expect(await ask(url, `POST ${SEGMENTS}`, { body: matchType })).toMatchObject({ body: { matchType: 7 } });
    const rule = { segmentKeys: ['beta', 'odd'], rank: 1, segmentOperator: 9 };
    const rules = '/api/v1/namespaces/default/flags/banner/rules';
    expect(await ask(url, `POST ${rules}`, { body: rule })).toMatchObject({ body: { segmentOperator: 9 } });
  });

  it('put a rule behind those of its rank, before those of a higher one', async () => {
    const { url } = await start();
    const rules = '/api/v1/namespaces/default/flags/banner/rules';
    for (const rank of [3, 1, 2, 1]) {
      await ask(url, `POST ${rules}`, { body: { segmentKey: 'staff', rank } });
    }
    const { body } = await ask(url, `GET ${rules}`);
    const list = body.rules as { rank: number; segmentKey: string }[];
    expect(list.map(({ rank }) => rank)).toEqual([1, 1, 1, 2, 3]);
    expect(list[0]?.segmentKey).toBe('beta');
  });

  it('refuse an attachment of more than 1,000 KB', async () => {
    const { url } = await start();
    const flag = '/api/v1/namespaces/default/flags/banner';
    const { body } = await ask(url, `GET ${flag}/rules`);
    const [rule] = body.rules as { distributions: { variantId: string }[] }[];
    const path = `PUT ${flag}/variants/${rule?.distributions[0]?.variantId ?? ''}`;
    const attachment = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    expect(await ask(url, path, { body: { key: 'red', attachment: attachment(1_024_000) } })).toMatchObject({
      status: 200,
    });
    expect(await ask(url, path, { body: { key: 'red', attachment: attachment(1_024_001) } })).toMatchObject({
      status: 400,
      body: { message: 'invalid field attachment: must be less than 1000 KB' },
    });
  });

  it('are refused for a negative limit with a 400', async () => {
    const { url } = await start();
    expect(await ask(url, `GET ${SEGMENTS}?limit=-1`)).toMatchObject({ status: 400, body: { code: 3 } });
    expect(await ask(url, `GET ${SEGMENTS}?limit=1&offset=-1`)).toMatchObject({
      status: 400,
      body: { code: 3 },
    });
  });
});

describe('hostile names', () => {
  it.each(['__proto__', 'constructor', 'toString'])('%s is a name like any other', async (name) => {
    const { url } = await start();
    expect(await evaluate(url, [{ flagKey: name }, { namespaceKey: name, flagKey: 'open' }])).toMatchObject([
      { reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
      { reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
    ]);
    expect(await ask(url, `GET ${SEGMENTS}/${name}`)).toMatchObject({ status: 404 });
    expect(await ask(url, `POST ${SEGMENTS}`, { body: { key: name, name } })).toMatchObject({ status: 200 });
    expect(await ask(url, `GET ${SEGMENTS}/${name}`)).toMatchObject({ status: 200, body: { key: name } });
  });
});
