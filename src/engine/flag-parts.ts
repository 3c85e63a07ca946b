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

/** Parts that are compiled in about a millisecond. A list counts by its text. */
const MOST_PARTS = 500;
const LENGTH_OF_PART = 64;

/** Whether compiling the flag would take long. */
export function isLarge(flag: Flag, { segments }: Features): boolean {
  let parts = 0;
  for (const key of segmentKeysOf(flag)) {
    parts++;
    for (const { value } of segments.get(key)?.constraints ?? []) parts += 1 + value.length / LENGTH_OF_PART;
    if (parts > MOST_PARTS) return true;
  }
  if (flag.type === 'BOOLEAN_FLAG_TYPE') return parts + flag.rollouts.length > MOST_PARTS;
  for (const { distributions } of flag.rules) parts += 1 + distributions.length;
  return parts > MOST_PARTS;
}

function segmentKeysOf(flag: Flag): readonly string[] {
  if (flag.type === 'VARIANT_FLAG_TYPE') {
    return flag.enabled ? flag.rules.flatMap(({ segmentKeys }) => segmentKeys) : [];
  }
  return flag.rollouts.flatMap((rollout) => (rollout.kind === 'segment' ? rollout.segmentKeys : []));
}
