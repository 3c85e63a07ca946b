import { describe, expect, it } from 'vitest';
import { settled } from './settled.fixture.js';

const initial = { flags: [] };
const store = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };

describe('where flags are evaluated', () => {
  it('is the service by default', () => {
    expect(settled({})).toMatchObject({ evaluation: 'remote', snapshot: {} });
  });

  it('is set by FLIPT_EVALUATION, and the option wins', () => {
    const env = { FLIPT_EVALUATION: 'in-process' };
    expect(settled({}, env).evaluation).toBe('in-process');
    expect(settled({ evaluation: 'remote' }, env).evaluation).toBe('remote');
    expect(settled({}, { FLIPT_EVALUATION: '' }).evaluation).toBe('remote');
  });

  it.each([
    [{ evaluation: 'wasm' }, {}, "evaluation: expected 'remote' or 'in-process', got a string"],
    [{}, { FLIPT_EVALUATION: 'local' }, "FLIPT_EVALUATION: expected 'remote' or 'in-process', got a string"],
    [
      { evaluation: 'in-process', reference: 'main' },
      {},
      "options: expected no reference with evaluation: 'in-process', snapshot.file or snapshot.store, which have the newest revision only",
    ],
    [
      { evaluation: 'in-process', watch: false },
      {},
      "options: expected snapshot.initial, snapshot.file or snapshot.store with evaluation: 'in-process' and watch: false",
    ],
    [
      { reference: 'main', snapshot: { file: 'a' } },
      {},
      "options: expected no reference with evaluation: 'in-process', snapshot.file or snapshot.store, which have the newest revision only",
    ],
    [{ snapshot: { file: 'a', store } }, {}, 'snapshot: expected either file or store'],
    [{ watch: { stream: 'no' } }, {}, 'watch.stream: expected true or false, got a string'],
    [
      { watch: { background: false } },
      {},
      'watch.background: unknown option, expected one of pollMs, stream, maxAgeMs',
    ],
    [{ snapshot: { file: '' } }, {}, "snapshot.file: expected the path of a file, got ''"],
    [
      { snapshot: { store: { load: store.load } } },
      {},
      'snapshot.store: expected an object with the functions load and save, got an object',
    ],
    [
      { snapshot: { initial: { flag: [] } } },
      {},
      'snapshot.initial: expected a snapshot or a features document, an object with a list flags, got an object',
    ],
    [
      { snapshot: { semantics: 'v3' } },
      {},
      "snapshot.semantics: expected 'v1', 'v2.8' or 'v2', got a string",
    ],
    [
      { snapshot: { path: 'a' } },
      {},
      'snapshot.path: unknown option, expected one of file, store, initial, semantics',
    ],
  ])('is refused if it makes no sense: %j', (options, env, message) => {
    expect(() => settled(options, env)).toThrow(new TypeError(`FliptProvider: ${message}`));
  });

  it.each([{ initial }, { file: 'snapshot' }, { store }])('may do without a watch, with %j', (snapshot) => {
    expect(settled({ evaluation: 'in-process', watch: false, snapshot })).toMatchObject({
      evaluation: 'in-process',
      watch: undefined,
      snapshot,
    });
  });

  it('does not exclude a reference if the service evaluates', () => {
    expect(settled({ reference: 'main' })).toMatchObject({ evaluation: 'remote', watch: undefined });
  });
});
