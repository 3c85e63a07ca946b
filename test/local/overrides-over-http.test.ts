import { describe, expect, it } from 'vitest';
import { ask, evaluate } from './requests.fixture.js';
import { useServices } from './running.fixture.js';
import { useFolder } from './folder.fixture.js';

const inFolder = useFolder();
const start = useServices();
const FLAG = '/local/v1/namespaces/default/flags/banner';
const features = {
  flags: [{ key: 'banner', enabled: true, variants: [{ key: 'blue', default: true }, { key: '1.5' }] }],
};

const shown = async (url: string) =>
  (
    await evaluate(
      url,
      ['ada', 'grace'].map((entityId) => ({ flagKey: 'banner', entityId })),
    )
  ).map(({ variantKey }) => variantKey);

describe.each(['v1', 'v2'] as const)('with the rules of %s', (semantics) => {
  it('overrides a flag for one and for all, and restores it', async () => {
    const { url } = await start({ features, semantics });
    expect(await ask(url, `PUT ${FLAG}`, { body: { value: 2.25 } })).toMatchObject({ status: 200, body: {} });
    expect(await shown(url)).toEqual(['2.25', '2.25']);
    await ask(url, `PUT ${FLAG}`, { body: { value: 'blue', for: 'ada' } });
    expect(await shown(url)).toEqual(['blue', '2.25']);
    await ask(url, `DELETE ${FLAG}`, { body: { for: 'ada' } });
    expect(await shown(url)).toEqual(['2.25', '2.25']);
    expect(await ask(url, `DELETE ${FLAG}`)).toMatchObject({ status: 200, body: {} });
    expect(await shown(url)).toEqual(['blue', 'blue']);
  });
});

it('an override ends with the reset of the service', async () => {
  const service = await start({ features });
  await ask(service.url, `PUT ${FLAG}`, { body: { value: '1.5' } });
  service.reset();
  expect(await shown(service.url)).toEqual(['blue', 'blue']);
});

it.each<[string, string, unknown, number, string]>([
  ['PUT', FLAG, { value: 'red' }, 400, '"banner" can be "blue", "1.5" or any number; got "red"'],
  ['PUT', FLAG, {}, 400, 'value: missing; expected what the flag is to be'],
  ['PUT', FLAG, { value: 'blue', user: 'ada' }, 400, '"user": unknown member, expected value and for'],
  ['PUT', FLAG, { value: 'blue', for: 7 }, 400, 'for: expected the id of an entity, got a number'],
  ['PUT', FLAG, { value: 'blue', for: '' }, 400, "for: expected the id of an entity, got ''"],
  ['PUT', FLAG, [], 400, 'invalid value for the body: expected an object, got a list'],
  ['DELETE', FLAG, { value: 'blue' }, 400, '"value": unknown member, expected for'],
  ['DELETE', `${FLAG}s`, undefined, 404, 'flag "default/banners" not found; there is "banner"'],
  [
    'PUT',
    FLAG.replace('default', 'shop'),
    { value: 'blue' },
    404,
    'namespace "shop" not found; there is "default"',
  ],
  ['POST', FLAG, { value: 'blue' }, 501, 'Method Not Allowed'],
])('answers %s %s with %j: %i', async (method, path, body, status, message) => {
  const { url } = await start({ features });
  expect(await ask(url, `${method} ${path}`, { body })).toMatchObject({ status, body: { message } });
});

it('accepts only JSON, and nothing from a foreign page', async () => {
  const { url } = await start({ features });
  const put = async (headers: Readonly<Record<string, string>>) =>
    (await ask(url, `PUT ${FLAG}`, { body: { value: '1.5' }, headers })).status;
  expect(await put({ 'Content-Type': 'text/plain' })).toBe(415);
  expect(await put({ Origin: 'https://evil.test' })).toBe(403);
  expect(await put({ Origin: 'http://localhost:3000' })).toBe(200);
});

it('accepts the token of the namespace if tokens are required', async () => {
  const { url } = await start({ features, bootstrapToken: 'dummy-token' });
  const put = async (token?: string) =>
    (await ask(url, `PUT ${FLAG}`, { token, body: { value: '1.5' } })).status;
  const tokenFor = async (namespaceKey: string) => {
    const made = { token: 'dummy-token', body: { name: namespaceKey, namespaceKey } };
    return String((await ask(url, 'POST /auth/v1/method/token', made)).body.clientToken);
  };
  expect([await put(), await put('wrong'), await put(await tokenFor('shop'))]).toEqual([401, 401, 401]);
  expect([await put('dummy-token'), await put(await tokenFor('default'))]).toEqual([200, 200]);
});

it('is not kept in the data file', async () => {
  const data = inFolder('data');
  const first = await start({ features, data });
  await ask(first.url, `PUT ${FLAG}`, { body: { value: '1.5' } });
  await first.close();
  const { url } = await start({ data });
  expect(await shown(url)).toEqual(['blue', 'blue']);
});
