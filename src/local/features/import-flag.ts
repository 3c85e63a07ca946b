import type { Rollout, SegmentChoice, SegmentOperator } from '../../engine/features.js';
import { byKey, type DocumentImport, newDates, newIdentity, report } from './document-import.js';
import type { CheckedFlag } from './features-schema.js';
import type { FlagRecord, RuleRecord, SegmentRecord, VariantRecord } from '../state/records.js';
import { storedChoice } from '../state/changed-state.js';

type Segments = ReadonlyMap<string, SegmentRecord>;
type Variants = ReadonlyMap<string, VariantRecord>;

/** Makes a record of a flag that names segments of the same document. */
export function importFlag(
  document: DocumentImport,
  path: string,
  written: CheckedFlag,
  segments: Segments,
): FlagRecord {
  const { key, name, description, enabled, type } = written;
  const variants = byKey(document, `${path}.variants`, written.variants, (variant, at) =>
    importVariant(document, at, variant),
  );
  const shared = {
    key,
    name: name || key,
    description,
    enabled,
    ...newDates(document),
    variants: new Map(Array.from(variants.values(), (variant) => [variant.id, variant])),
    rules: importRules(document, path, written, segments, variants),
  };
  if (type === 'BOOLEAN_FLAG_TYPE') {
    return { ...shared, type, rollouts: importRollouts(document, path, written, segments) };
  }
  if (written.rollouts.length > 0) {
    report(document, `${path}.rollouts`, 'only a BOOLEAN_FLAG_TYPE has rollouts');
  }
  return { ...shared, type, defaultVariantId: defaultVariant(document, path, written, variants)?.id };
}

function importVariant(
  document: DocumentImport,
  path: string,
  { key, name, description, attachment }: CheckedFlag['variants'][number],
): VariantRecord {
  return {
    ...newIdentity(document),
    key,
    name,
    description,
    attachment: importAttachment(document, `${path}.attachment`, attachment),
  };
}

function importAttachment(document: DocumentImport, path: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (document.semantics === 'v2' && typeof value !== 'object') {
    report(document, path, 'expected a mapping or a list, which is all that Flipt v2 takes');
  }
  const json = asJson(value);
  if (json === undefined) report(document, path, 'expected what JSON can hold');
  return json ?? '';
}

function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle, a bigint, or a toJSON that throws.
    return undefined;
  }
}

function defaultVariant(
  document: DocumentImport,
  path: string,
  { variants: written }: CheckedFlag,
  variants: Variants,
): VariantRecord | undefined {
  const defaults = written.filter((variant) => variant.default);
  if (defaults.length > 1) report(document, `${path}.variants`, 'expected at most one default variant');
  return defaults[0] && variants.get(defaults[0].key);
}

function importRules(
  document: DocumentImport,
  path: string,
  { rules }: CheckedFlag,
  segments: Segments,
  variants: Variants,
): readonly RuleRecord[] {
  return rules.map(({ segment, distributions }, index): RuleRecord => {
    const at = `${path}.rules[${index}]`;
    const { keys, operator } =
      typeof segment === 'string' ? { keys: [segment], operator: undefined } : segment;
    return {
      ...newIdentity(document),
      ...importChoice(document, `${at}.segment`, keys, operator, segments),
      rank: index + 1,
      distributions: distributions.flatMap(({ variant: key, rollout }, position) => {
        const variant = variants.get(key);
        if (variant) return [{ ...newIdentity(document), variantId: variant.id, rollout }];
        const where = `${at}.distributions[${position}].variant`;
        report(document, where, `expected the key of a variant of this flag, got "${key}"`);
        return [];
      }),
    };
  });
}

function importRollouts(
  document: DocumentImport,
  path: string,
  { rollouts }: CheckedFlag,
  segments: Segments,
): readonly Rollout[] {
  return rollouts.flatMap(({ segment, threshold }, index): Rollout[] => {
    if (threshold) return [{ kind: 'threshold', ...threshold }];
    if (!segment) return [];
    const { keys, operator, value } = segment;
    const at = `${path}.rollouts[${index}].segment`;
    return [{ kind: 'segment', ...importChoice(document, at, keys, operator, segments), value }];
  });
}

function importChoice(
  document: DocumentImport,
  path: string,
  keys: readonly string[],
  operator: SegmentOperator | undefined,
  segments: Segments,
): SegmentChoice {
  for (const key of keys.filter((each) => !segments.has(each))) {
    report(document, path, `expected the key of a segment of this document, got "${key}"`);
  }
  return storedChoice(keys, operator);
}
