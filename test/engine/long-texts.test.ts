import { afterEach, describe, expect, it, vi } from 'vitest';
import { compileFeatures, evaluate } from '../../src/engine/compile.js';
import { EvaluatedEntity, entityOf } from '../../src/engine/entity.js';
import { explain } from '../../src/engine/explain.js';
import type { BooleanFlag, ComparisonType, Constraint, Features } from '../../src/engine/features.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const CONSTRAINTS = 300;
const LENGTH = 6_000;
const KEYS = Array.from({ length: CONSTRAINTS }, (_, at) => `flag-${at}`);

const constraintOf = (type: string, operator: string, value: string): Constraint => ({
  type: `${type}_COMPARISON_TYPE` as ComparisonType,
  property: 'plan',
  operator,
  value,
});

/** `flags` flags, each with its share of 300 constraints, none of which matches. */
function featuresWith(constraint: Constraint, flags: number): Features {
  const constraints = Array.from({ length: CONSTRAINTS / flags }, () => constraint);
  const rollout = {
    kind: 'segment',
    segmentKeys: ['many'],
    segmentOperator: 'OR_SEGMENT_OPERATOR',
    value: true,
  } as const;
  const flag = (key: string): BooleanFlag => ({
    type: 'BOOLEAN_FLAG_TYPE',
    key,
    enabled: false,
    rollouts: [rollout],
  });
  return {
    flags: new Map(KEYS.slice(0, flags).map((key) => [key, flag(key)])),
    segments: new Map([['many', { key: 'many', matchType: 'ANY_MATCH_TYPE', constraints }]]),
  };
}

/** The characters of long texts at which `run` looks, one by one or with a regular expression. */
function charactersLookedAt(run: () => void): number {
  const one = vi.spyOn(String.prototype, 'charCodeAt');
  const all = vi.spyOn(RegExp.prototype, 'exec');
  run();
  const isLong = (text: unknown) => typeof text === 'string' && text.length > 1_000;
  const looked = one.mock.contexts.filter(isLong).length;
  const searched = all.mock.calls.filter(([text]) => isLong(text));
  return searched.reduce((sum, [text]) => sum + text.length, looked);
}

const SPACES = ' '.repeat(LENGTH);
/** How often a text is looked at, at most: as a date and as each form of number. */
const FORMS = 4;

describe.each([
  ['a prefix', constraintOf('STRING', 'prefix', 'pro'), SPACES],
  ['a suffix', constraintOf('STRING', 'suffix', 'pro'), `${SPACES}x`],
  ['what is not empty', constraintOf('STRING', 'notempty', ''), SPACES],
  ['a number', constraintOf('NUMBER', 'gt', '5'), `${'1'.repeat(LENGTH)}x`],
  ['numbers', constraintOf('NUMBER', 'isoneof', '[5]'), '0'.repeat(LENGTH)],
  ['a date', constraintOf('DATETIME', 'gt', '2024-01-01'), `2020-01-01T00:00:00.${'1'.repeat(LENGTH)}Z`],
  ['what is present', constraintOf('BOOLEAN', 'present', ''), SPACES],
])('300 constraints that ask an attribute of 6,000 characters for %s', (_, constraint, text) => {
  it('look at each character a few times, in one flag', () => {
    const compiled = compileFeatures(featuresWith(constraint, 1), 'v1');
    compiled.flag('flag-0');
    const question = { namespace: 'default', flag: 'flag-0', entity: 'u', attributes: { plan: text } };
    const looked = charactersLookedAt(() => {
      expect(evaluate(compiled, question)).toMatchObject({ enabled: false, reason: 'DEFAULT' });
    });
    expect(looked).toBeGreaterThan(0);
    expect(looked).toBeLessThan(FORMS * text.length + CONSTRAINTS);
  });

  it('look at each character a few times, in 300 flags that share the entity', () => {
    const compiled = compileFeatures(featuresWith(constraint, CONSTRAINTS), 'v1');
    const entity = entityOf({ entity: 'u', attributes: { plan: text } });
    const looked = charactersLookedAt(() => {
      for (const key of KEYS) expect(compiled.flag(key)?.(entity)).toMatchObject({ enabled: false });
    });
    expect(looked).toBeLessThan(FORMS * text.length + CONSTRAINTS);
  });
});

it('an entity id of 6,000 characters is trimmed once', () => {
  const constraint = constraintOf('ENTITY_ID', 'prefix', 'pro');
  const compiled = compileFeatures(featuresWith(constraint, CONSTRAINTS), 'v1');
  const entity = entityOf({ entity: SPACES, attributes: {} });
  const looked = charactersLookedAt(() => {
    for (const key of KEYS) compiled.flag(key)?.(entity);
  });
  expect(looked).toBeLessThan(2 * LENGTH);
});

it('an attribute that is written as a long text is written once', () => {
  const compiled = compileFeatures(featuresWith(constraintOf('STRING', 'prefix', 'pro'), CONSTRAINTS), 'v1');
  const read = vi.fn(() => SPACES);
  const entity = new EvaluatedEntity('u', {}, read);
  for (const key of KEYS) compiled.flag(key)?.(entity);
  expect(read).toHaveBeenCalledTimes(1);
});

it('an explanation looks at each character a few times', () => {
  const compiled = compileFeatures(featuresWith(constraintOf('NUMBER', 'present', ''), 1), 'v1');
  const question = { namespace: 'default', flag: 'flag-0', entity: 'u', attributes: { plan: SPACES } };
  const looked = charactersLookedAt(() => {
    expect(explain(compiled, question).decidedBy).toEqual({ by: 'none' });
  });
  expect(looked).toBeLessThan(3 * LENGTH);
});
