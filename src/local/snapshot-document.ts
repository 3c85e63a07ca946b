import { createHash } from 'node:crypto';
import * as words from '../engine/features.js';
import type { Rollout, SegmentChoice, Semantics } from '../engine/features.js';
import type { FlagRecord, NamespaceRecord, SegmentRecord, VariantFlagRecord } from '../features/records.js';
import * as ofVersion from '../engine/version-differences.js';

/** The snapshot of a namespace in the form in which the service sends it: its JSON text and its ETag. */
export type SnapshotDocument = ReturnType<ReturnType<typeof snapshotWriter>>;

/**
 * Returns a function that writes the snapshot of a namespace in the form that the chosen version of Flipt uses. In the
 * function's result, `text` returns the JSON of the snapshot, and `version` is the ETag of the snapshot. `version` is
 * `undefined` if Flipt sends no ETag.
 */
export function snapshotWriter(semantics: Semantics) {
  const digests = new WeakMap<NamespaceRecord, string>();
  return (namespace: NamespaceRecord, client: ClientAbilities) => {
    const { key, version } = namespace;
    const abilities = ofVersion.adaptsToClients(semantics) ? client : EVERY_ABILITY;
    const written = { namespace, semantics, abilities };
    const flags = () => Array.from(namespace.flags.values(), (flag) => shownFlag(written, flag));
    if (!ofVersion.hasDigest(semantics)) {
      // In Flipt v1, the ETag changes with every write to the namespace, even if the write changes nothing. Before the
      // first write, the snapshot has no ETag.
      const etag = version === undefined ? undefined : sha1(version);
      return { version: etag, text: () => JSON.stringify({ namespace: { key }, flags: flags() }) };
    }
    // The digest is computed only from those members of the namespace that evaluation reads.
    const digest = digests.get(namespace) ?? sha1(JSON.stringify([key, flags()], withoutIdentity));
    digests.set(namespace, digest);
    return { version: digest, text: () => JSON.stringify({ namespace: { key }, flags: flags(), digest }) };
  };
}

/**
 * The members that evaluation does not read. The digest of a snapshot does not depend on these members, even if the
 * snapshot contains names, as in Flipt 2.0 to 2.8.
 */
const IDENTITY = new Set(['id', 'ruleId', 'name', 'description', 'createdAt', 'updatedAt']);

function withoutIdentity(name: string, value: unknown): unknown {
  return IDENTITY.has(name) ? undefined : value;
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** What decides the text of a snapshot: the namespace, the version of Flipt, and what the client can read. */
interface Written {
  readonly namespace: NamespaceRecord;
  readonly semantics: Semantics;
  readonly abilities: ClientAbilities;
}

const NAMELESS = { name: '', description: '' };

/**
 * Returns a flag as a snapshot of the chosen version of Flipt contains it: with the flag's rules or rollouts, and with
 * their segments and constraints.
 */
function shownFlag(written: Written, flag: FlagRecord): object {
  const { key, enabled, type, createdAt, updatedAt } = flag;
  const { name, description } = ofVersion.namesFlags(written.semantics) ? flag : NAMELESS;
  const about = { key, name, description, enabled, type, createdAt, updatedAt };
  // A snapshot does not contain the rules of a boolean flag, because evaluation does not read them, and a variant flag
  // has no rollouts.
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = flag.rollouts.map((rollout, at) => shownRollout(written, rollout, at + 1));
    return { ...about, rules: [], rollouts };
  }
  const rules = flag.rules.flatMap((rule) => shownRule(written, flag, rule));
  return { ...about, rules, rollouts: [], ...shownDefault(written, flag) };
}

function shownRule(written: Written, flag: VariantFlagRecord, rule: FlagRecord['rules'][number]) {
  const { semantics } = written;
  const { id: ruleId, rank } = rule;
  const segments = shownSegments(written, rule.segmentKeys);
  const copies = Array.from({ length: ofVersion.repeatsRules(semantics) ? segments.length : 1 });
  const distributions = rule.distributions.map(({ variantId, rollout }) => {
    const { key: variantKey = '', attachment = '' } = flag.variants.get(variantId) ?? {};
    const ids = ofVersion.identifiesParts(semantics) ? { id: '', ruleId: '', variantId } : { ruleId };
    const variantAttachment = ofVersion.writtenAttachment(attachment, semantics);
    return { ...ids, variantKey, variantAttachment, rollout };
  });
  const shown = {
    id: ruleId,
    segments,
    rank,
    segmentOperator: shownOperator(rule),
    distributions: copies.flatMap(() => distributions),
  };
  return copies.map(() => shown);
}

function shownDefault(written: Written, { key: flagKey, defaultVariantId, variants }: VariantFlagRecord) {
  const variant = variants.get(defaultVariantId ?? '');
  if (!variant || !written.abilities.defaultVariants) return {};
  const { key } = variant;
  const id = ofVersion.identifiesParts(written.semantics) ? variant.id : `${flagKey}/${key}`;
  const attachment = ofVersion.writtenAttachment(variant.attachment, written.semantics);
  return { defaultVariant: { id, key, attachment } };
}

function shownRollout(written: Written, rollout: Rollout, rank: number): object {
  const { value } = rollout;
  if (rollout.kind === 'threshold') {
    return { type: 'THRESHOLD_ROLLOUT_TYPE', rank, threshold: { percentage: rollout.percentage, value } };
  }
  const segments = shownSegments(written, rollout.segmentKeys);
  const segment = { value, segmentOperator: shownOperator(rollout), segments };
  return { type: 'SEGMENT_ROLLOUT_TYPE', rank, segment };
}

/** If a segment operator has no name, the snapshot contains OR in its place, as in Flipt. */
function shownOperator({ segmentOperator }: SegmentChoice): string {
  return words.SEGMENT_OPERATORS.find((name) => name === segmentOperator) ?? 'OR_SEGMENT_OPERATOR';
}

/** A snapshot repeats a segment and its constraints in every rule and rollout that names the segment. */
function shownSegments(written: Written, keys: readonly string[]): readonly object[] {
  const all = written.namespace.segments;
  return keys.flatMap((key) => all.get(key) ?? []).map((segment) => shownSegment(written, segment));
}

function shownSegment(written: Written, segment: SegmentRecord) {
  const { key, matchType, constraints } = segment;
  const { name, description } = ofVersion.namesSegments(written.semantics) ? segment : NAMELESS;
  // As in Flipt, the snapshot contains ANY in place of a match type that has no name, although Flipt itself does not
  // evaluate the segment as ANY.
  const found = words.MATCH_TYPES.find((name) => name === matchType) ?? 'ANY_MATCH_TYPE';
  return {
    key,
    name,
    description,
    matchType: words.wireMatchType(found),
    constraints: constraints.map((constraint) => shownConstraint(written, constraint)),
  };
}

function shownConstraint(written: Written, constraint: SegmentRecord['constraints'][number]) {
  const { semantics, abilities } = written;
  const { id, type, property, operator, value } = constraint;
  const isKnown = type !== 'ENTITY_ID_COMPARISON_TYPE' || abilities.entityIds;
  const shown = isKnown ? words.wireComparisonType(type) : words.UNKNOWN_WIRE_COMPARISON_TYPE;
  return { ...(ofVersion.identifiesParts(semantics) && { id }), type: shown, property, operator, value };
}

/**
 * Which parts of a snapshot of Flipt v1 a client can read. Whether a client can read a part depends on the version of
 * Flipt for which the client was made.
 */
type ClientAbilities = Readonly<typeof EVERY_ABILITY>;

export const EVERY_ABILITY = { entityIds: true, defaultVariants: true };

const ENTITY_IDS_SINCE = [1, 38];
const DEFAULT_VARIANTS_SINCE = [1, 47];

/**
 * Returns what a client can read, by its header X-Flipt-Accept-Server-Version. A client that sends no version counts as
 * an old client, as in Flipt.
 */
export function clientAbilities(header: string | undefined): ClientAbilities {
  const version = /^v?(\d{1,9})\.(\d{1,9})(?:\.|$)/.exec(header?.trim() ?? '');
  const accepts = ([major = 0, minor = 0]: readonly number[]): boolean =>
    version !== null && (Number(version[1]) - major || Number(version[2]) - minor) >= 0;
  return { entityIds: accepts(ENTITY_IDS_SINCE), defaultVariants: accepts(DEFAULT_VARIANTS_SINCE) };
}
