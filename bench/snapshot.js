/** The features of this folder as Flipt serves them to clients that evaluate by themselves. */
export function snapshotOf({ flags, segments }) {
  const served = new Map(segments.map((segment) => [segment.key, servedSegment(segment)]));
  return {
    namespace: { key: 'default' },
    flags: flags.map(({ key, name, type, enabled, rules }) => ({
      key,
      name,
      description: '',
      type,
      enabled,
      rollouts: [],
      rules: rules.map(({ segment, distributions }, at) => ({
        id: `${key}-${at}`,
        rank: at + 1,
        segmentOperator: 'OR_SEGMENT_OPERATOR',
        segments: [served.get(segment)],
        distributions: distributions.map(({ variant, rollout }) => ({
          id: `${key}-${at}-${variant}`,
          variantId: variant,
          variantKey: variant,
          variantAttachment: '',
          rollout,
        })),
      })),
    })),
  };
}

function servedSegment({ key, name, match_type, constraints = [] }) {
  return {
    key,
    name,
    description: '',
    matchType: match_type.replace('_MATCH', '_SEGMENT_MATCH'),
    constraints: constraints.map((constraint) => ({
      ...constraint,
      type: constraint.type.replace('_COMPARISON', '_CONSTRAINT_COMPARISON'),
    })),
  };
}
