import type { ManagedFeatures, ManagedFlag, ManagedSegment } from '../../features/managed-features.js';
import type { FlagRecord, NamespaceRecord, SegmentRecord } from './records.js';
import { newDates, newIdentity, type Stamp } from './ids-and-dates.js';

/** The records of features that were read: the service gives ids and dates to all of their parts. */
export function recordedFeatures(
  read: ReadonlyMap<string, ManagedFeatures>,
  stamp: Stamp,
): ReadonlyMap<string, NamespaceRecord> {
  return mapped(read, (namespace) => ({
    ...namespace,
    version: namespace.segments.size + namespace.flags.size > 0 ? stamp.id() : undefined,
    segments: mapped(namespace.segments, (segment) => segmentRecord(segment, stamp)),
    flags: mapped(namespace.flags, (flag) => flagRecord(flag, stamp)),
  }));
}

function segmentRecord(segment: ManagedSegment, stamp: Stamp): SegmentRecord {
  const constraints = segment.constraints.map((constraint) => ({ ...newIdentity(stamp), ...constraint }));
  return { ...segment, constraints, ...newDates(stamp) };
}

function flagRecord(flag: ManagedFlag, stamp: Stamp): FlagRecord {
  const variants = mapped(flag.variants, (variant) => ({ ...newIdentity(stamp), ...variant }));
  const idOf = (key = ''): string | undefined => variants.get(key)?.id;
  const rules = flag.rules.map((rule) => ({
    ...newIdentity(stamp),
    ...rule,
    distributions: rule.distributions.map(({ variantId, rollout }) => ({
      ...newIdentity(stamp),
      variantId: idOf(variantId) ?? '',
      rollout,
    })),
  }));
  const parts = {
    variants: new Map(Array.from(variants.values(), (variant) => [variant.id, variant])),
    rules,
    ...newDates(stamp),
  };
  return flag.type === 'BOOLEAN_FLAG_TYPE'
    ? { ...flag, ...parts }
    : { ...flag, ...parts, defaultVariantId: idOf(flag.defaultVariantId) };
}

function mapped<From, To>(parts: ReadonlyMap<string, From>, map: (part: From) => To) {
  return new Map(Array.from(parts, ([key, part]) => [key, map(part)]));
}
