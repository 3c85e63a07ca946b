import { describe, expect, it } from 'vitest';
import { compileConstraint } from '../../src/engine/constraint-match.js';
import { entityOf } from '../../src/engine/entity.js';
import type { ComparisonType, Constraint } from '../../src/engine/features.js';

interface Asked {
  readonly entity: string;
  readonly attributes: Readonly<Record<string, string>>;
}

function fulfils(asked: Asked, constraint: Constraint): boolean {
  return compileConstraint(constraint)(entityOf(asked));
}

type Row = readonly [operator: string, value: string, given: string, matches: boolean];

function check(type: ComparisonType, rows: readonly Row[]): void {
  it.each(rows)('%s %j on %j: %s', (operator, value, given, matches) => {
    const constraint = { type, property: 'p', operator, value };
    const subject =
      type === 'ENTITY_ID_COMPARISON_TYPE'
        ? { entity: given, attributes: { p: 'never looked at', entityId: 'nor this' } }
        : { entity: 'never looked at', attributes: { p: given } };
    expect(fulfils(subject, constraint)).toBe(matches);
  });
}

const STRINGS: readonly Row[] = [
  ['empty', '', '', true],
  ['empty', '', ' \u0085', true],
  ['empty', '', 'a', false],
  ['notempty', '', 'a', true],
  ['notempty', '', ' ', false],
  ['eq', 'pro', 'pro', true],
  ['eq', 'pro', 'Pro', false],
  ['eq', 'pro', ' pro', false],
  ['eq', '', '', false],
  ['neq', 'pro', 'free', true],
  ['neq', 'pro', 'pro', false],
  ['neq', 'pro', '', false],
  ['prefix', 'pro', ' pro plus', true],
  ['prefix', ' pro', ' pro', false],
  ['suffix', 'plus', 'pro plus ', true],
  ['suffix', 'pro', 'pro plus', false],
  ['contains', 'o p', 'pro plus', true],
  ['contains', 'x', 'pro', false],
  ['notcontains', 'x', 'pro', true],
  ['notcontains', 'x', '', false],
  ['notcontains', 'r', 'pro', false],
  ['isoneof', '["a","b"]', 'b', true],
  ['isoneof', '["a","b"]', 'c', false],
  ['isoneof', 'no list', 'a', false],
  ['isnotoneof', '["a","b"]', 'c', true],
  ['isnotoneof', '["a","b"]', 'a', false],
  ['isnotoneof', '["a"]', '', false],
  ['isnotoneof', 'no list', 'a', false],
  ['gt', 'a', 'b', false],
  ['nonsense', 'a', 'a', false],
];

describe('strings', () => {
  check('STRING_COMPARISON_TYPE', STRINGS);
});

describe('entity ids', () => {
  check('ENTITY_ID_COMPARISON_TYPE', STRINGS);
});

describe('numbers', () => {
  check('NUMBER_COMPARISON_TYPE', [
    ['eq', '18', '18.0', true],
    ['eq', '18', '0x12p0', true],
    ['eq', '0', '-0', true],
    ['eq', '18', '', false],
    ['eq', '18', '18px', false],
    ['eq', 'nothing', '18', false],
    ['eq', 'NaN', 'NaN', false],
    ['neq', 'NaN', 'NaN', true],
    ['neq', '18', '19', true],
    ['neq', '18', 'x', false],
    ['lt', '18', '17.9', true],
    ['lt', '18', '18', false],
    ['lte', '18', '18', true],
    ['gt', '18', 'inf', true],
    ['gt', '18', 'NaN', false],
    ['gte', '18', '18', true],
    ['gte', '18', '17', false],
    ['present', '', 'x', true],
    ['present', '', ' ', false],
    ['notpresent', '', '', true],
    ['notpresent', '', '0', false],
    ['isoneof', '[1, 2.5]', '2.50', true],
    ['isoneof', '[1]', '2', false],
    ['isoneof', '["1"]', '1', false],
    ['isnotoneof', '[1]', '2', true],
    ['isnotoneof', '[1]', 'NaN', true],
    ['isnotoneof', '[1]', '1', false],
    ['isnotoneof', '[1]', 'x', false],
    ['isnotoneof', 'no list', '1', false],
    ['nonsense', '1', '1', false],
  ]);
});

describe('booleans', () => {
  check('BOOLEAN_COMPARISON_TYPE', [
    ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((given): Row => ['true', '', given, true]),
    ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((given): Row => ['false', '', given, true]),
    ['true', '', 'false', false],
    ['true', '', 'tRuE', false],
    ['true', '', '', false],
    ['true', '', 'yes', false],
    ['false', '', 'true', false],
    ['false', '', '', false],
    ['present', '', 'yes', true],
    ['notpresent', '', 'yes', false],
    ['notpresent', '', '', true],
    ['eq', 'true', 'true', false],
  ]);
});

describe('date-times', () => {
  check('DATETIME_COMPARISON_TYPE', [
    ['eq', '2024-01-01', '2024-01-01T01:00:00+01:00', true],
    ['neq', '2024-01-01', '2024-01-01T00:00:00.000000001Z', true],
    ['lt', '2024-01-01T00:00:00.000000002Z', '2024-01-01T00:00:00.000000001Z', true],
    ['lte', '2024-01-01', '2024-01-01', true],
    ['gt', '2024-01-01', '2023-12-31', false],
    ['gte', '2024-01-01', '2024-01-02', true],
    ['gte', '2024-01-01', 'soon', false],
    ['neq', '2024-01-01', '', false],
    ['eq', 'never', '2024-01-01', false],
    ['present', '', 'soon', true],
    ['notpresent', '', '', true],
    ['isoneof', '["2024-01-01"]', '2024-01-01', false],
  ]);
});

describe('attributes', () => {
  it.each(['__proto__', 'constructor', 'toString', 'missing'])(
    '%s is missing if it was not sent',
    (property) => {
      const constraint = { type: 'STRING_COMPARISON_TYPE', property, operator: 'empty', value: '' } as const;
      expect(fulfils({ entity: '', attributes: {} }, constraint)).toBe(true);
    },
  );

  it('one named __proto__ is an attribute like any other', () => {
    const attributes = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    const constraint = {
      type: 'STRING_COMPARISON_TYPE',
      property: '__proto__',
      operator: 'eq',
      value: 'x',
    } as const;
    expect(fulfils({ entity: '', attributes }, constraint)).toBe(true);
  });
});
