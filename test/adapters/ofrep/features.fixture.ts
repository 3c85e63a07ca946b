import type { FeaturesDocument } from '../../../src/local/index.js';

const variant = { type: 'VARIANT_FLAG_TYPE', enabled: true } as const;
const toAll = (key: string) => [{ segment: 'all', distributions: [{ variant: key, rollout: 100 }] }];

/** The features have one flag for each outcome of an evaluation. */
export const FEATURES: FeaturesDocument = {
  flags: [
    { key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    { key: 'off', type: 'BOOLEAN_FLAG_TYPE', enabled: false },
    {
      key: 'for-pro',
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
      rollouts: [{ segment: { key: 'pros', value: true } }],
    },
    {
      key: 'share',
      type: 'BOOLEAN_FLAG_TYPE',
      enabled: false,
      rollouts: [{ threshold: { percentage: 100, value: true } }],
    },
    {
      ...variant,
      key: 'matched',
      variants: [{ key: 'red', attachment: { rgb: 'f00' } }],
      rules: toAll('red'),
    },
    { ...variant, key: 'fallback', variants: [{ key: 'blue', default: true }] },
    { ...variant, key: 'unmatched', variants: [{ key: 'red' }] },
    { ...variant, key: 'disabled', enabled: false, variants: [{ key: 'red', default: true }] },
    { key: 'secret', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
  ],
  segments: [
    { key: 'all' },
    {
      key: 'pros',
      constraints: [{ type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'pro' }],
    },
  ],
};

/** The outcomes of the visible flags for a user without a plan. */
export const ITEMS = [
  { key: 'on', value: true, variant: 'true', reason: 'STATIC' },
  { key: 'off', value: false, variant: 'false', reason: 'STATIC' },
  { key: 'for-pro', value: false, variant: 'false', reason: 'STATIC' },
  { key: 'share', value: true, variant: 'true', reason: 'SPLIT' },
  {
    key: 'matched',
    value: 'red',
    variant: 'red',
    reason: 'TARGETING_MATCH',
    metadata: { attachment: '{"rgb":"f00"}' },
  },
  { key: 'fallback', value: 'blue', variant: 'blue', reason: 'STATIC' },
  { key: 'unmatched', reason: 'UNKNOWN' },
  { key: 'disabled', reason: 'DISABLED' },
] as const;

export const KEYS = ITEMS.map(({ key }) => key);
