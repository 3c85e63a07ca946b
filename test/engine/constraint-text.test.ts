import { describe, expect, it } from 'vitest';
import { entityOf } from '../../src/engine/entity.js';
import { constraintText } from '../../src/engine/explanation-text.js';
import { explainConstraint } from '../../src/engine/explain.js';
import type { ComparisonType } from '../../src/engine/features.js';

describe('a constraint in words', () => {
  it.each<readonly [kind: string, operator: string, value: string, given: string | undefined, words: string]>(
    [
      ['STRING', 'eq', 'pro', 'pro', 'string "p" eq "pro": matches, the value is "pro"'],
      ['STRING', 'eq', 'pro', 'free', 'string "p" eq "pro": does not match, the value is "free"'],
      ['STRING', 'neq', 'pro', undefined, 'string "p" neq "pro": does not match, there is no value'],
      ['STRING', 'notempty', '', ' ', 'string "p" notempty: does not match, the value is " "'],
      ['STRING', 'empty', '', 'x', 'string "p" empty: does not match, the value is "x"'],
      [
        'STRING',
        'isoneof',
        'a, b',
        'a',
        'string "p" isoneof "a, b": does not match, the constraint\'s own value does not parse',
      ],
      ['STRING', 'gt', '1', '2', 'string "p" "gt" "1": does not match, there is no such operator'],
      ['NUMBER', 'gt', '18', '18', 'number "p" gt "18": does not match, the value is "18"'],
      [
        'NUMBER',
        'gt',
        '18',
        '21px',
        'number "p" gt "18": does not match, the value is "21px", which is no number',
      ],
      [
        'NUMBER',
        'lt',
        'many',
        '2',
        'number "p" lt "many": does not match, the constraint\'s own value does not parse',
      ],
      ['NUMBER', 'present', '', '0', 'number "p" present: matches, the value is "0"'],
      ['NUMBER', 'notpresent', '', undefined, 'number "p" notpresent: matches, there is no value'],
      ['BOOLEAN', 'true', '', 'false', 'boolean "p" true: does not match, the value is "false"'],
      [
        'BOOLEAN',
        'false',
        '',
        'yes',
        'boolean "p" false: does not match, the value is "yes", which is no boolean',
      ],
      [
        'DATETIME',
        'gte',
        '2024-01-01',
        'soon',
        'date-time "p" gte "2024-01-01": does not match, the value is "soon", which is no date-time',
      ],
      ['ENTITY_ID', 'prefix', 'e', 'not read', 'the entity id prefix "e": matches, the value is "e1"'],
      ['STRING', 'eq', 'a\nb', '\u202e', 'string "p" eq "a\\nb": does not match, the value is "\\u{202e}"'],
    ],
  )('%s %s %j on %j', (kind, operator, value, given, words) => {
    const type = `${kind}_COMPARISON_TYPE` as ComparisonType;
    const entity = entityOf({ entity: 'e1', attributes: given === undefined ? {} : { p: given } });
    const explained = explainConstraint({ type, property: 'p', operator, value }, entity);
    expect(constraintText(explained)).toBe(words);
  });

  it.each([
    ['Plan', 'there is no value (the context has "Plan")'],
    ['pln', 'there is no value (the context has "pln")'],
    ['country', 'there is no value'],
  ])('names the attribute %s that was probably meant', (name, words) => {
    const constraint = {
      type: 'STRING_COMPARISON_TYPE',
      property: 'plan',
      operator: 'eq',
      value: 'pro',
    } as const;
    const explained = explainConstraint(
      constraint,
      entityOf({ entity: 'e1', attributes: { [name]: 'pro' } }),
    );
    expect(constraintText(explained)).toBe(`string "plan" eq "pro": does not match, ${words}`);
  });
});
