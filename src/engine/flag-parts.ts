import type { Features, Flag } from './features.js';

/** The names of all attributes that a flag may read, without duplicates. */
export function attributesOf(flag: Flag, { segments }: Features): readonly string[] {
  const constraints = segmentKeysOf(flag).flatMap((key) => segments.get(key)?.constraints ?? []);
  const compared = constraints.filter(({ type }) => type !== 'ENTITY_ID_COMPARISON_TYPE');
  return [...new Set(compared.map(({ property }) => property))];
}

/** Whether evaluation reads the same objects for a flag in both. */
export function sameFlag(key: string, before: Features, after: Features): boolean {
  const flag = before.flags.get(key);
  if (flag === undefined || flag !== after.flags.get(key)) return false;
  return segmentKeysOf(flag).every((name) => before.segments.get(name) === after.segments.get(name));
}

function segmentKeysOf(flag: Flag): readonly string[] {
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    return flag.enabled ? flag.rules.flatMap(({ segmentKeys }) => segmentKeys) : [];
  }
  return flag.rollouts.flatMap((rollout) => (rollout.kind === 'segment' ? rollout.segmentKeys : []));
}
