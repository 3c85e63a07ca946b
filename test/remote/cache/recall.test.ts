import { questionKeys, contextReader } from '../../../src/provider/mapping/question-key.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerStore } from '../../../src/remote/cache/answer-store.js';
import { rememberingQuestions, type GivenContext } from '../../../src/remote/cache/recall.js';
import { selector, type Selection } from '../../../src/provider/mapping/attribute-text.js';
import { manualClock } from '../../clock.fixture.js';
import { booleanAnswer } from '../../provider/mapping/answers.fixture.js';

const frozen = (context: GivenContext) => Object.freeze({ targetingKey: 'user', ...context });
const all = () => true;

/** Keys of answers, found by the contexts of their questions. */
function keysByContext(isSent: (name: string) => boolean = all) {
  const store = new AnswerStore({ maxEntries: 100, maxBytes: 1024 * 1024 }, manualClock());
  const questionFrom = rememberingQuestions(isSent);
  return {
    keep(flag: string, context: GivenContext, key: string) {
      store.set(key, flag, booleanAnswer(), { at: 0 });
      const entry = store.peek(key);
      if (entry !== undefined) store.remember(entry, () => questionFrom(context));
    },
    find: (flag: string, context: GivenContext) => store.recall(flag, context)?.key,
  };
}

function knowing(context: GivenContext, isSent?: (name: string) => boolean) {
  const keys = keysByContext(isSent);
  keys.keep('flag', context, 'key');
  return keys;
}

describe('the key of a known question', () => {
  const context = { plan: 'pro', age: 18, beta: true, nothing: undefined, none: null, big: 1n };

  it('is found by an equal context', () => {
    expect(knowing(frozen(context)).find('flag', frozen(context))).toBe('key');
    expect(knowing(frozen({})).find('flag', { targetingKey: 'user' })).toBe('key');
  });

  it.each<[string, GivenContext]>([
    ['another value', { ...context, plan: 'free' }],
    ['a value of another type', { ...context, age: '18' }],
    ['one attribute more', { ...context, more: 1 }],
    ['one attribute less', { plan: 'pro' }],
    ['another name', { ...context, plan: undefined, level: 'pro' }],
    ['another targeting key', { ...context, targetingKey: 'other' }],
    ['no targeting key', { ...context, targetingKey: undefined }],
  ])('is not found with %s', (_name, other) => {
    expect(knowing(frozen(context)).find('flag', frozen(other))).toBeUndefined();
  });

  it('is not found by a context that inherits an attribute, which is not sent', () => {
    const inheriting: GivenContext = Object.assign(Object.create({ plan: 'pro' }) as GivenContext, {
      targetingKey: 'user',
    });
    expect(knowing(frozen({ plan: 'pro' })).find('flag', inheriting)).toBeUndefined();
    expect(knowing(Object.freeze(inheriting)).find('flag', frozen({}))).toBeUndefined();
  });

  it('is not found for another flag', () => {
    expect(knowing(frozen(context)).find('other', frozen(context))).toBeUndefined();
  });

  it('is found whatever the values of attributes that are not sent', () => {
    const keys = knowing(frozen({ plan: 'pro', trace: {} }), (name) => name !== 'trace');
    expect(keys.find('flag', frozen({ plan: 'pro', trace: 2 }))).toBe('key');
    expect(keys.find('flag', frozen({ plan: 'free', trace: 2 }))).toBeUndefined();
  });
});

it('is the newest one, if a targeting key has several contexts', () => {
  const keys = keysByContext();
  const [free, pro] = [frozen({ plan: 'free' }), frozen({ plan: 'pro' })];
  keys.keep('flag', free, 'free');
  keys.keep('flag', pro, 'pro');
  expect([keys.find('flag', free), keys.find('flag', pro)]).toEqual([undefined, 'pro']);
  keys.keep('flag', free, 'free');
  expect([keys.find('flag', free), keys.find('flag', pro)]).toEqual(['free', undefined]);
});

describe('a context whose values may change, or with many names, is not kept', () => {
  it.each<[string, GivenContext]>([
    ['not frozen', { targetingKey: 'user', plan: 'pro' }],
    ['with a date', frozen({ since: new Date(0) })],
    ['with a list', frozen({ list: [1] })],
    [
      'with a getter',
      Object.freeze({
        targetingKey: 'user',
        get plan() {
          return 'pro';
        },
      }),
    ],
    ['with a targeting key that is not a string', frozen({ targetingKey: 5 })],
    ['with 65 names', frozen(Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`name-${at}`, at])))],
  ])('%s', (_name, context) => {
    expect(knowing(context).find('flag', context)).toBeUndefined();
  });
});

describe('with any contexts', () => {
  const value = fc.oneof(
    fc.constantFrom('', '1', 'true', 1, -0, 0, NaN, Infinity, true, null, undefined, 1n, Symbol.iterator),
    fc.constantFrom(new Date(0), [1], all),
    fc.string({ maxLength: 2 }),
  );
  const names = fc.constantFrom('a', 'b', '__proto__', 'targetingKey');
  const context = fc.dictionary(names, value, { maxKeys: 4 }).map((attributes) => {
    return Object.freeze({ targetingKey: 'user', ...attributes });
  });
  const selection = fc.constantFrom<Selection>(undefined, { only: ['a'] }, { except: ['a', 'targetingKey'] });

  it('a key that is found is the key that would be made', () => {
    fc.assert(
      fc.property(selection, fc.array(context, { minLength: 2, maxLength: 30 }), (selected, contexts) => {
        const read = contextReader(selected);
        const keyOf = questionKeys('default');
        const keys = keysByContext(selector(selected));
        for (const asked of contexts) {
          const made = keyOf('flag', read(asked));
          expect([made, undefined]).toContain(keys.find('flag', asked));
          keys.keep('flag', asked, made);
        }
      }),
    );
  });
});
