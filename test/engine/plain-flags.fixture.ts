import type { BooleanFlag, VariantFlag } from '../../src/engine/features.js';

/** A flag "f" with two variants and without rules. */
export const variantFlag: VariantFlag = {
  type: 'VARIANT_FLAG_TYPE',
  key: 'f',
  enabled: true,
  variants: new Map([
    ['1', { key: 'red', attachment: '' }],
    ['2', { key: 'blue', attachment: '' }],
  ]),
  rules: [],
};

/** A flag "f" that is off, without rollouts. */
export const booleanFlag: BooleanFlag = {
  type: 'BOOLEAN_FLAG_TYPE',
  key: 'f',
  enabled: false,
  rollouts: [],
};
