import type { Rollout, Semantics } from '../../engine/features.js';
import { storedChoice } from '../state/changed-state.js';
import type { FlagRecord, RuleRecord, Stamp, VariantRecord } from '../state/records.js';
import type { CheckedFlag } from './features-schema.js';
import { goJson } from './go-json.js';
import { newDates, newIdentity } from './new-record.js';
import { singlePrecision } from './single-precision.js';

/** Makes a record of a flag. Its references have been checked. */
export function importFlag(written: CheckedFlag, semantics: Semantics, stamp: Stamp): FlagRecord {
  const { key, name, description, enabled, type } = written;
  const variants = written.variants.map((variant) => importVariant(variant, semantics, stamp));
  const idOf = new Map(variants.map((variant) => [variant.key, variant.id]));
  const shared = {
    key,
    name,
    description,
    enabled,
    ...newDates(stamp),
    variants: new Map(variants.map((variant) => [variant.id, variant])),
    rules: importRules(written, idOf, semantics, stamp),
  };
  if (type === 'BOOLEAN_FLAG_TYPE') return { ...shared, type, rollouts: importRollouts(written) };
  const defaultKey = written.variants.find((variant) => variant.default)?.key ?? '';
  return { ...shared, type, defaultVariantId: idOf.get(defaultKey) };
}

function importVariant(
  { key, name, description, attachment }: CheckedFlag['variants'][number],
  semantics: Semantics,
  stamp: Stamp,
): VariantRecord {
  const text = attachment === undefined || attachment === null ? '' : goJson(attachment, semantics);
  return { ...newIdentity(stamp), key, name, description, attachment: text ?? '' };
}

function importRules(
  { rules }: CheckedFlag,
  variantIds: ReadonlyMap<string, string>,
  semantics: Semantics,
  stamp: Stamp,
): readonly RuleRecord[] {
  return rankedRules(rules, semantics).map(({ rule: { segment, distributions }, rank }): RuleRecord => {
    const { keys, operator } =
      typeof segment === 'string' ? { keys: [segment], operator: undefined } : segment;
    return {
      ...newIdentity(stamp),
      ...storedChoice(keys, operator),
      rank,
      distributions: distributions.map(({ variant, rollout }) => ({
        ...newIdentity(stamp),
        variantId: variantIds.get(variant) ?? '',
        rollout: singlePrecision(rollout),
      })),
    };
  });
}

/** Rules in the order of evaluation, each with its rank and its index in the file. */
export function rankedRules(
  rules: CheckedFlag['rules'],
  semantics: Semantics,
): readonly { readonly rule: CheckedFlag['rules'][number]; readonly rank: number; readonly index: number }[] {
  return (
    rules
      // v2 reads ranks and ignores them.
      .map((rule, index) => ({ rule, index, rank: (semantics === 'v1' && rule.rank) || index + 1 }))
      .sort((one, other) => one.rank - other.rank)
  );
}

function importRollouts({ rollouts }: CheckedFlag): readonly Rollout[] {
  return rollouts.flatMap(({ segment, threshold }): Rollout[] => {
    if (threshold)
      return [{ kind: 'threshold', ...threshold, percentage: singlePrecision(threshold.percentage) }];
    if (!segment) return [];
    const { keys, operator, value } = segment;
    return [{ kind: 'segment', ...storedChoice(keys, operator), value }];
  });
}
