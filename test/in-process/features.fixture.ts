/** The features have a boolean flag, and a variant flag that gives `red` to the plan `pro` and `blue` to all others. */
export const FEATURES = {
  flags: [
    { key: 'banner', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    {
      key: 'colour',
      type: 'VARIANT_FLAG_TYPE',
      enabled: true,
      variants: [{ key: 'red' }, { key: 'blue', default: true, attachment: { rgb: '00f' } }],
      rules: [{ segment: 'pros', distributions: [{ variant: 'red', rollout: 100 }] }],
    },
  ],
  segments: [
    {
      key: 'pros',
      constraints: [{ type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'eq', value: 'pro' }],
    },
  ],
} as const;

export const PRO = { targetingKey: 'user-1', plan: 'pro' };
