import type { Rollout, SegmentChoice, Semantics } from '../engine/features.js';
import { FeaturesError, type SourceDocument } from './features-file.js';
import { complaint, type CheckedDocument, type CheckedFlag, type CheckedSegment } from './features-schema.js';
import { importConstraint } from './import-constraint.js';
import type {
  ConstraintRecord,
  FlagRecord,
  NamespaceRecord,
  RuleRecord,
  SegmentRecord,
  Stamp,
  VariantRecord,
} from './records.js';
import { segmentChoice } from './segment-choice.js';

/** Makes records of the documents; there is always a namespace `default`. Throws a {@link FeaturesError}. */
export function importFeatures(
  documents: readonly SourceDocument[],
  semantics: Semantics,
  stamp: Stamp,
): ReadonlyMap<string, NamespaceRecord> {
  const empty = { key: 'default', name: 'Default', description: '', flags: new Map(), segments: new Map() };
  const namespaces = new Map<string, NamespaceRecord>([['default', empty]]);
  const seen = new Set<string>();
  for (const { where, content } of documents) {
    const namespace = new DocumentImport(where, semantics, stamp).namespace(content);
    if (seen.has(namespace.key)) {
      throw new FeaturesError(`${where}: namespace: "${namespace.key}" has a document already`);
    }
    seen.add(namespace.key);
    namespaces.set(namespace.key, namespace);
  }
  return namespaces;
}

class DocumentImport {
  constructor(
    private readonly where: string,
    private readonly semantics: Semantics,
    private readonly stamp: Stamp,
  ) {}

  namespace({ namespace: written, flags, segments: segmentList }: CheckedDocument): NamespaceRecord {
    const about = typeof written === 'string' ? { key: written, name: written, description: '' } : written;
    const segments = this.unique('segments', segmentList, (segment, path) => this.segment(segment, path));
    return {
      ...about,
      segments,
      flags: this.unique('flags', flags, (flag, path) => this.flag(flag, path, segments)),
    };
  }

  private segment(written: CheckedSegment, path: string): SegmentRecord {
    const { key, name, description, match_type: matchType } = written;
    const constraints = written.constraints.map((constraint, index): ConstraintRecord => {
      const imported = importConstraint(constraint);
      if ('wrong' in imported) {
        return this.refuse(`${path}.constraints[${index}].${imported.member}`, imported.wrong);
      }
      return { ...this.identity(), ...constraint, ...imported };
    });
    return { key, name: name || key, description, matchType, constraints, ...this.dates() };
  }

  private flag(written: CheckedFlag, path: string, segments: ReadonlyMap<string, SegmentRecord>): FlagRecord {
    const { key, name, description, enabled, type } = written;
    const byKey = this.unique(`${path}.variants`, written.variants, (variant, at) =>
      this.variant(variant, at),
    );
    const shared = {
      key,
      name: name || key,
      description,
      enabled,
      variants: new Map(Array.from(byKey.values(), (variant) => [variant.id, variant])),
      rules: this.rules(written, path, segments, byKey),
    };
    if (type === 'BOOLEAN_FLAG_TYPE') {
      return { ...shared, type, rollouts: this.rollouts(written, path, segments) };
    }
    if (written.rollouts.length > 0) this.refuse(`${path}.rollouts`, 'only a BOOLEAN_FLAG_TYPE has rollouts');
    return { ...shared, type, defaultVariantId: this.defaultVariant(written, path, byKey)?.id };
  }

  private variant(written: CheckedFlag['variants'][number], path: string): VariantRecord {
    const { key, name, description, attachment } = written;
    return {
      ...this.identity(),
      key,
      name,
      description,
      attachment: this.attachment(attachment, `${path}.attachment`),
    };
  }

  private attachment(value: unknown, path: string): string {
    if (value === undefined || value === null) return '';
    if (this.semantics === 'v2' && typeof value !== 'object') {
      this.refuse(path, 'expected a mapping or a list, which is all that Flipt v2 takes');
    }
    return this.json(value) ?? this.refuse(path, 'expected what JSON can hold');
  }

  private json(value: unknown): string | undefined {
    try {
      return JSON.stringify(value);
    } catch {
      // A cycle, a bigint, or a toJSON that throws.
      return undefined;
    }
  }

  private defaultVariant(
    { variants }: CheckedFlag,
    path: string,
    byKey: ReadonlyMap<string, VariantRecord>,
  ): VariantRecord | undefined {
    const defaults = variants.filter((variant) => variant.default);
    if (defaults.length > 1) this.refuse(`${path}.variants`, 'expected at most one default variant');
    return defaults[0] && byKey.get(defaults[0].key);
  }

  private rules(
    { rules }: CheckedFlag,
    path: string,
    segments: ReadonlyMap<string, SegmentRecord>,
    variants: ReadonlyMap<string, VariantRecord>,
  ): readonly RuleRecord[] {
    return rules.map(({ segment, distributions }, index): RuleRecord => {
      const at = `${path}.rules[${index}]`;
      const { keys, operator } =
        typeof segment === 'string' ? { keys: [segment], operator: undefined } : segment;
      return {
        ...this.identity(),
        ...this.choice(keys, operator, `${at}.segment`, segments),
        rank: index + 1,
        distributions: distributions.map(({ variant: key, rollout }, position) => {
          const variant = variants.get(key);
          if (variant) return { ...this.identity(), variantId: variant.id, rollout };
          return this.refuse(
            `${at}.distributions[${position}].variant`,
            `expected the key of a variant of this flag, got "${key}"`,
          );
        }),
      };
    });
  }

  private rollouts(
    { rollouts }: CheckedFlag,
    path: string,
    segments: ReadonlyMap<string, SegmentRecord>,
  ): readonly Rollout[] {
    return rollouts.flatMap(({ segment, threshold }, index): Rollout[] => {
      if (threshold) return [{ kind: 'threshold', ...threshold }];
      if (!segment) return [];
      const keys = segment.keys ?? (segment.key == null ? [] : [segment.key]);
      const at = `${path}.rollouts[${index}].segment`;
      return [
        { kind: 'segment', ...this.choice(keys, segment.operator, at, segments), value: segment.value },
      ];
    });
  }

  private choice(
    keys: readonly string[],
    operator: SegmentChoice['segmentOperator'] | undefined,
    path: string,
    segments: ReadonlyMap<string, SegmentRecord>,
  ): SegmentChoice {
    const unknown = keys.find((key) => !segments.has(key));
    if (unknown !== undefined) {
      this.refuse(path, `expected the key of a segment of this document, got "${unknown}"`);
    }
    return segmentChoice(keys, operator);
  }

  private unique<Written extends { readonly key: string }, Record>(
    path: string,
    list: readonly Written[],
    make: (written: Written, path: string) => Record,
  ): ReadonlyMap<string, Record> {
    const records = new Map<string, Record>();
    for (const [index, written] of list.entries()) {
      const at = `${path}[${index}]`;
      if (records.has(written.key)) this.refuse(`${at}.key`, `"${written.key}" occurs twice`);
      records.set(written.key, make(written, at));
    }
    return records;
  }

  private dates(): { createdAt: string; updatedAt: string } {
    const now = new Date(this.stamp.date()).toISOString();
    return { createdAt: now, updatedAt: now };
  }

  private identity(): { id: string; createdAt: string; updatedAt: string } {
    return { id: this.stamp.id(), ...this.dates() };
  }

  private refuse(path: string, wrong: string): never {
    throw new FeaturesError(`${this.where}: ${complaint(path, wrong)}`);
  }
}
