import type { FeaturesDocument } from '../../src/local/index.js';

export const USERS: readonly string[] = Array.from({ length: 100 }, (_, index) => `user-${index}`);
/** These are enough for a test without a crowd. A service that starts for each test then has far less to read. */
export const FEW_USERS = USERS.slice(0, 20);

/**
 * Makes features whose answers name the user: the variant of each flag is the name of the user who asked. `whose-0` and
 * the others like it find the user by the entity id, `whose-attribute` by the attribute `user`. `anyone` is a boolean.
 */
export function whoseFeatures(users: readonly string[], flags: number): FeaturesDocument {
  const segments = users.flatMap((user) => [
    segment(`id-${user}`, user, 'ENTITY_ID_COMPARISON_TYPE', 'entityId'),
    segment(`attribute-${user}`, user, 'STRING_COMPARISON_TYPE', 'user'),
  ]);
  const variants = users.map((key) => ({ key }));
  const rules = (by: string) =>
    users.map((user) => ({
      segment: `${by}-${user}`,
      distributions: [{ variant: user, rollout: 100 }],
    }));
  const flag = (key: string, by: string) =>
    ({ key, name: key, type: 'VARIANT_FLAG_TYPE', enabled: true, variants, rules: rules(by) }) as const;
  return {
    namespace: 'default',
    flags: [
      ...Array.from({ length: flags }, (_, index) => flag(`whose-${index}`, 'id')),
      flag('whose-attribute', 'attribute'),
      { key: 'anyone', name: 'anyone', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    ],
    segments,
  };
}

function segment(
  key: string,
  value: string,
  type: 'ENTITY_ID_COMPARISON_TYPE' | 'STRING_COMPARISON_TYPE',
  property: string,
) {
  return {
    key,
    name: key,
    match_type: 'ALL_MATCH_TYPE',
    constraints: [{ type, property, operator: 'eq', value }],
  } as const;
}
