import { describe, expect, it, vi } from 'vitest';
import { compileFeatures } from '../../src/engine/compile.js';
import { EvaluatedEntity } from '../../src/engine/entity.js';
import type {
  BooleanFlag,
  Constraint,
  Features,
  Flag,
  Segment,
  VariantFlag,
} from '../../src/engine/features.js';

const constraint = (property: string, more?: Partial<Constraint>): Constraint => ({
  type: 'STRING_COMPARISON_TYPE',
  property,
  operator: 'eq',
  value: 'yes',
  ...more,
});
const segment = (key: string, ...constraints: Constraint[]): Segment => ({
  key,
  matchType: 'ALL_MATCH_TYPE',
  constraints,
});
const PRO = segment('pro', constraint('plan'), constraint('beta'));
const ADULTS = segment('adults', constraint('age', { type: 'NUMBER_COMPARISON_TYPE' }), constraint('plan'));
const TEAM = segment('team', constraint('ignored', { type: 'ENTITY_ID_COMPARISON_TYPE', value: 'me' }));

const rollout = (...segmentKeys: string[]) =>
  ({ kind: 'segment', segmentKeys, segmentOperator: 'OR_SEGMENT_OPERATOR', value: true }) as const;
const flag = (key: string, ...rollouts: BooleanFlag['rollouts']): BooleanFlag => ({
  type: 'BOOLEAN_FLAG_TYPE',
  key,
  enabled: false,
  rollouts,
});
const CHECKOUT = flag('checkout', rollout('pro', 'adults'), rollout('team'));
const SEARCH = flag('search', rollout('adults'));
const THEME: VariantFlag = {
  type: 'VARIANT_FLAG_TYPE',
  key: 'theme',
  enabled: false,
  variants: new Map(),
  rules: [{ ...rollout('pro'), distributions: [] }],
};

function featuresOf(flags: readonly Flag[], segments: readonly Segment[]): Features {
  return {
    flags: new Map(flags.map((each) => [each.key, each])),
    segments: new Map(segments.map((each) => [each.key, each])),
  };
}
const entity = (id: string, read: (name: string) => string | undefined = () => undefined) =>
  new EvaluatedEntity(id, {}, (_attributes, name) => read(name));
const FEATURES = featuresOf([CHECKOUT, SEARCH, THEME], [PRO, ADULTS, TEAM]);

describe('a compiled flag', () => {
  it('reads no attribute while it is disabled', () => {
    const read = vi.fn(() => undefined);
    compileFeatures(FEATURES, 'v1').flag('theme')?.(entity('', read));
    expect(read).not.toHaveBeenCalled();
  });

  it('reads an attribute only when it is compared', () => {
    const asked: string[] = [];
    const read = (name: string) => {
      asked.push(name);
      return undefined;
    };
    compileFeatures(FEATURES, 'v1').flag('search')?.(entity('', read));
    expect(asked).toEqual(['age']);
  });

  it('throws the error of reading an attribute', () => {
    const read = () => {
      throw new Error('a cycle');
    };
    expect(() => compileFeatures(FEATURES, 'v1').flag('search')?.(entity('', read))).toThrow('a cycle');
  });
});

describe('compiled features', () => {
  it('compile a flag when it is first asked for, and once', () => {
    const read: string[] = [];
    class WatchedMap extends Map<string, Segment> {
      override get(key: string): Segment | undefined {
        read.push(key);
        return super.get(key);
      }
    }
    const segments = new WatchedMap(FEATURES.segments);
    const compiled = compileFeatures({ ...FEATURES, segments }, 'v1');
    const find = (key: string) => compiled.flag(key);
    expect(read).toEqual([]);
    const search = find('search');
    expect(new Set(read)).toEqual(new Set(['adults']));
    read.length = 0;
    expect(find('search')).toBe(search);
    expect(read).toEqual([]);
  });

  it('have no flag that was not in the features', () => {
    expect(compileFeatures(FEATURES, 'v1').flag('constructor')).toBeUndefined();
  });
});
