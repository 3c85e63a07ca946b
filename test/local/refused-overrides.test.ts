import { expect, it } from 'vitest';
import type { LocalService } from '../../src/local/index.js';
import { useServices } from './running.fixture.js';

const start = useServices();

const flags = [
  { key: 'checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
  { key: 'banner', enabled: true, variants: [{ key: 'blue', default: true }, { key: 'red' }] },
  { key: 'limit', enabled: true, variants: [{ key: '10', default: true }] },
  { key: 'price', enabled: true, variants: [{ key: 'normal', attachment: { amount: 1 }, default: true }] },
  { key: 'dark', enabled: false, variants: [{ key: 'on' }, { key: 'true' }] },
  { key: 'bare', enabled: true },
] as const;

it.each<[string, readonly unknown[], string]>([
  ['a text for a boolean flag', ['checkout', 'red'], '"checkout" can be true or false; got "red"'],
  ['a variant that there is not', ['banner', 'green'], '"banner" can be "blue", "red"; got "green"'],
  ['a number where no variant is one', ['banner', 5], '"banner" can be "blue", "red"; got 5'],
  ['an object where no variant has one', ['limit', {}], '"limit" can be "10" or any number; got an object'],
  ['what no flag can be', ['price', null], '"price" can be "normal" or any object; got null'],
  ['NaN', ['limit', NaN], '"limit" can be "10" or any number; got NaN'],
  ['a boolean that one variant names', ['dark', 5], '"dark" can be "on", "true" or any boolean; got 5'],
  [
    'a flag that there is not',
    ['chekout', true],
    'flag "default/chekout" not found; there is "checkout", "banner"',
  ],
  [
    'a namespace that there is not',
    ['limit', 5, { namespace: 'x' }],
    'namespace "x" not found; there is "default"',
  ],
  ['an empty id', ['limit', 5, { for: '' }], "for: expected the targetingKey of an entity, got ''"],
  [
    'an unknown option',
    ['limit', 5, { user: 'ada' }],
    'user: unknown option, expected one of namespace, for',
  ],
  ['a flag without variants', ['bare', 'x'], '"bare" can be nothing, because it has no variants; got "x"'],
])('set refuses %s', async (_name, given, message) => {
  const service = await start({ features: { flags } });
  const setting = () => {
    const [key, value, options] = given as Parameters<LocalService['set']>;
    service.set(key, value, options);
  };
  expect(setting).toThrow(TypeError);
  expect(setting).toThrow(`set: ${message}`);
});
