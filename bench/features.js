/** Ten variant flags that two segments decide: users who pay, and everybody else. */
export const features = {
  namespace: 'default',
  flags: Array.from({ length: 10 }, (_, n) => ({
    key: `flag-${n}`,
    name: `Flag ${n}`,
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    variants: [{ key: 'on' }, { key: 'off' }],
    rules: ['paying', 'everyone'].map((segment) => ({
      segment,
      distributions: [
        { variant: 'on', rollout: 50 },
        { variant: 'off', rollout: 50 },
      ],
    })),
  })),
  segments: [
    {
      key: 'paying',
      name: 'Paying',
      match_type: 'ALL_MATCH_TYPE',
      constraints: [
        { type: 'STRING_COMPARISON_TYPE', property: 'plan', operator: 'isoneof', value: '["pro","team"]' },
      ],
    },
    { key: 'everyone', name: 'Everyone', match_type: 'ALL_MATCH_TYPE' },
  ],
};

export function contextOf(user) {
  return {
    targetingKey: `user-${user}`,
    plan: ['free', 'pro', 'team'][user % 3],
    country: ['de', 'fr', 'us', 'jp'][user % 4],
    age: 18 + (user % 60),
    beta: user % 2 === 0,
    device: user % 5 === 0 ? 'phone' : 'desktop',
    version: `4.${user % 20}.1`,
  };
}
