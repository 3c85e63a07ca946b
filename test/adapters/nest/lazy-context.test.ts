import type { EvaluationContext } from '@openfeature/server-sdk';
import { expect, it, vi } from 'vitest';
import { lazyContext } from '../../../src/adapters/nest/lazy-context.js';

const MARK = Symbol('mark');

it.each<[string, (context: EvaluationContext) => unknown]>([
  ['reads an attribute', (context) => context.targetingKey],
  ['asks whether there is an attribute', (context) => 'targetingKey' in context],
  ['lists the attributes', (context) => Object.keys(context)],
  ['asks for an attribute of its own', (context) => Object.hasOwn(context, 'targetingKey')],
  ['copies it', (context) => ({ ...context })],
])('computes the attributes of a settled context once when a caller %s', (_name, look) => {
  const attributes = vi.fn(() => ({ targetingKey: 'user' }));
  const { context, settle } = lazyContext({ [MARK]: 1 }, attributes);
  settle();
  expect([MARK in context, Reflect.get(context, MARK), Object.hasOwn(context, MARK)]).toEqual([
    true,
    1,
    true,
  ]);
  expect(attributes).not.toHaveBeenCalled();
  look(context);
  look(context);
  expect(attributes).toHaveBeenCalledOnce();
  expect(context).toEqual({ targetingKey: 'user', [MARK]: 1 });
});

it('computes the attributes again after a refresh and after a failure', () => {
  let plan: string | undefined;
  const { context, refresh } = lazyContext({}, () => {
    if (plan === undefined) throw new Error('not yet');
    return { plan };
  });
  expect(() => ({ ...context })).toThrow('not yet');
  plan = 'free';
  expect(context.plan).toBe('free');
  plan = 'pro';
  expect(context.plan).toBe('free');
  refresh();
  expect(context.plan).toBe('pro');
});

it('computes them again for each copy until it is settled, and then once more', () => {
  let user: string | undefined = 'anonymous';
  const { context, settle } = lazyContext({ [MARK]: 1 }, () => (user === undefined ? {} : { user }));
  const seen = () => ({ ...context }).user;
  expect(seen()).toBe('anonymous');
  user = 'ada';
  expect([seen(), context.user]).toEqual(['ada', 'ada']);
  user = undefined;
  expect({ ...context }).toEqual({ [MARK]: 1 });
  settle();
  user = 'grace';
  expect(seen()).toBe('grace');
  user = 'linus';
  expect(seen()).toBe('grace');
});
