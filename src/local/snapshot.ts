import { createHash } from 'node:crypto';
import type { Rollout, SegmentChoice, Semantics } from '../engine/features.js';
import type {
  FlagRecord,
  NamespaceRecord,
  RuleRecord,
  SegmentRecord,
  VariantFlagRecord,
} from '../features/normalize.js';
import { writtenAttachment } from '../engine/version-differences.js';
import { checkEnvironment } from './evaluate.js';
import type { Operation, Service, Snapshot } from './operation.js';
import { Refusal, single, invalidField } from './request.js';

/**
 * GET /internal/v1/evaluation/snapshot/namespace/{namespaceKey}. As in Flipt, the ETag has no quotes, and counts only if
 * it comes back byte for byte.
 */
export const getSnapshot: Operation = (service, request) => {
  single(request.query, 'reference');
  checkEnvironment(service, request);
  const key = request.path.namespaceKey;
  const namespace = service.overrides.served(key);
  if (!namespace && service.semantics !== 'v1')
    throw new Refusal(404, `namespace ${JSON.stringify(key)} not found`);
  // Flipt v1 answers as for an empty namespace.
  const empty = { key, name: '', description: '', flags: new Map(), segments: new Map() };
  const { etag, text } = snapshotOf(service, namespace ?? empty);
  const headers = { ETag: etag };
  return request.header('if-none-match') === etag ? { status: 304, headers, text: '' } : { headers, text };
};

/**
 * GET /client/v2/environments/{environment}/namespaces/{namespaceKey}/stream. Since 2.9, Flipt sends versions of
 * snapshots to clients that ask for events, and whole snapshots, each as a line of JSON, to all others.
 */
export const streamSnapshot: Operation = (service, request) => {
  checkEnvironment(service, request);
  let sent = single(request.query, 'digest') ?? '';
  if (sent !== '' && sent.length !== 40) throw invalidField('digest', 'must be a 40-character string');
  const hasEvents = service.semantics === 'v2' && request.header('accept') === 'text/event-stream';
  return {
    contentType: hasEvents ? 'text/event-stream' : 'application/json',
    next: () => {
      const namespace = service.overrides.served(request.path.namespaceKey);
      const { etag, text } = namespace ? snapshotOf(service, namespace) : { etag: sent, text: '' };
      if (etag === sent) return undefined;
      sent = etag;
      if (!hasEvents) return `{"result":${text}}\n`;
      return `id: ${etag.slice(0, 9)}\ndata: ${JSON.stringify({ etag, type: 'refetchEvaluation' })}\n\n`;
    },
  };
};

/** Not read by evaluation, so the ETag does not depend on it. */
const IDENTITY = ['id', 'ruleId', 'variantId', 'name', 'description', 'createdAt', 'updatedAt'];

function snapshotOf({ semantics, snapshots }: Service, namespace: NamespaceRecord): Snapshot {
  const known = snapshots.get(namespace);
  if (known) return known;
  const flags = Array.from(namespace.flags.values(), (flag) => shownFlag(flag, namespace, semantics));
  const content = { namespace: { key: namespace.key }, flags };
  const read = JSON.stringify(content, (name, value: unknown) =>
    IDENTITY.includes(name) ? undefined : value,
  );
  const etag = createHash('sha1').update(read).digest('hex');
  const snapshot = {
    etag,
    text: JSON.stringify(semantics === 'v1' ? content : { ...content, digest: etag }),
  };
  snapshots.set(namespace, snapshot);
  return snapshot;
}

const NAMELESS = { name: '', description: '' };

/** As in Flipt, a boolean flag has no rules, and a variant flag no rollouts. */
function shownFlag(flag: FlagRecord, namespace: NamespaceRecord, semantics: Semantics): object {
  const { key, enabled, type, createdAt, updatedAt } = flag;
  const { name, description } = semantics === 'v2' ? NAMELESS : flag;
  const about = { key, name, description, enabled, type, createdAt, updatedAt };
  const choice = ({ segmentKeys, segmentOperator }: SegmentChoice) => ({
    segments: segmentKeys
      .flatMap((segmentKey) => namespace.segments.get(segmentKey) ?? [])
      .map((segment) => shownSegment(segment, semantics)),
    // An operator without a name is shown as OR.
    segmentOperator: segmentOperator === 'AND_SEGMENT_OPERATOR' ? segmentOperator : 'OR_SEGMENT_OPERATOR',
  });
  if (flag.type === 'BOOLEAN_FLAG_TYPE') {
    const rollouts = flag.rollouts.map((rollout, at) => ({ rank: at + 1, ...shownRollout(rollout, choice) }));
    return { ...about, rules: [], rollouts };
  }
  const rules = flag.rules.flatMap((rule) => shownRule(rule, flag, choice(rule), semantics));
  return { ...about, rules, rollouts: [], ...shownDefault(flag, semantics) };
}

type ShownChoice = (choice: SegmentChoice) => {
  readonly segments: readonly object[];
  readonly segmentOperator: string;
};

function shownRollout(rollout: Rollout, choice: ShownChoice): object {
  const { value } = rollout;
  return rollout.kind === 'threshold'
    ? { type: 'THRESHOLD_ROLLOUT_TYPE', threshold: { percentage: rollout.percentage, value } }
    : { type: 'SEGMENT_ROLLOUT_TYPE', segment: { value, ...choice(rollout) } };
}

/** Flipt v1 repeats a rule of n segments n times, and each copy holds its distributions n times. */
function shownRule(
  rule: RuleRecord,
  flag: VariantFlagRecord,
  choice: ReturnType<ShownChoice>,
  semantics: Semantics,
) {
  const { id, rank } = rule;
  const copies = Array.from({ length: semantics === 'v1' ? choice.segments.length : 1 });
  const distributions = rule.distributions.map(({ variantId, rollout }) => {
    const { key: variantKey = '', attachment = '' } = flag.variants.get(variantId) ?? {};
    const ids = semantics === 'v1' ? { id: '', ruleId: '', variantId } : { ruleId: id };
    return { ...ids, variantKey, variantAttachment: writtenAttachment(attachment, semantics), rollout };
  });
  return copies.map(() => ({ id, rank, ...choice, distributions: copies.flatMap(() => distributions) }));
}

function shownDefault(
  { key: flagKey, defaultVariantId, variants }: VariantFlagRecord,
  semantics: Semantics,
): object {
  const variant = variants.get(defaultVariantId ?? '');
  if (!variant) return {};
  const { key } = variant;
  const id = semantics === 'v1' ? variant.id : `${flagKey}/${key}`;
  return { defaultVariant: { id, key, attachment: writtenAttachment(variant.attachment, semantics) } };
}

function shownSegment(segment: SegmentRecord, semantics: Semantics): object {
  const { key, matchType } = segment;
  const { name, description } = semantics === 'v2.8' ? segment : NAMELESS;
  const constraints = segment.constraints.map(({ id, type, property, operator, value }) => ({
    ...(semantics === 'v1' && { id }),
    type: type.replace('COMPARISON', 'CONSTRAINT_COMPARISON'),
    property,
    operator,
    value,
  }));
  // A match type without a name is shown as ANY, although Flipt itself does not evaluate it so.
  const shownType = matchType === 'ALL_MATCH_TYPE' ? 'ALL_SEGMENT_MATCH_TYPE' : 'ANY_SEGMENT_MATCH_TYPE';
  return { key, name, description, matchType: shownType, constraints };
}
