import { messageOf, isObject, quoted } from '../base/text/describe.js';
import { sharingTurns } from '../base/time/turns.js';
import type { Clock } from '../base/time/clock.js';
import * as Evaluated from '../engine/features.js';
import { variantOf } from '../engine/parts-in-force.js';
import { DEFAULT_SEMANTICS, isV2, NEWEST_V2 } from '../engine/version-differences.js';
import { featuresOfObjects } from '../features/check-documents.js';
import type { SnapshotOptions } from '../options/provider-options.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { checkedRest, type Body } from './body.js';
import { snapshotOf, type StartingSnapshot } from './snapshot.js';
import { whenConfirmed } from './text.js';
import { checked, InvalidBody, keyedSchema, MOST_SNAPSHOT_BYTES } from './wire.js';

/** Reads the option: Flipt's body, what `getSnapshot()` or the command gave, or a features document. */
export async function initialSnapshot(
  { initial, semantics = DEFAULT_SEMANTICS }: SnapshotOptions,
  { namespace, environment }: SnapshotPlace,
  warn: (message: string) => void,
  clock: Clock,
): Promise<StartingSnapshot | undefined> {
  if (initial === undefined) return undefined;
  try {
    const given = isFeaturesDocument(initial)
      ? bodyOfFeatures(initial, namespace, semantics)
      : (initial as { readonly flags: readonly unknown[] });
    const body = await bodyOf(given, clock);
    const { rest } = body;
    if (rest.environment !== undefined && rest.environment !== environment) {
      const wanted = environment === undefined ? 'none' : quoted(environment);
      throw new InvalidBody(
        `it belongs to environment ${quoted(rest.environment)}, and the option is ${wanted}`,
      );
    }
    if (isForOldClients(body)) warn(FOR_OLD_CLIENTS);
    const snapshot = await snapshotOf(
      body,
      namespace,
      undefined,
      clock,
      isV2(semantics) ? semantics : NEWEST_V2,
    );
    const { confirmedAt } = rest;
    return {
      snapshot,
      etag: undefined,
      confirmedAt: confirmedAt === undefined ? undefined : whenConfirmed(confirmedAt, clock),
    };
  } catch (error) {
    warn(`snapshot.initial is not used: ${messageOf(error)}`);
    return undefined;
  }
}

const FOR_OLD_CLIENTS =
  'snapshot.initial was fetched from Flipt v1 without the header X-Flipt-Accept-Server-Version, so that it has no ' +
  'default variants and no constraints on entity ids: fetch it with "X-Flipt-Accept-Server-Version: 1.61.1"';

function isForOldClients({ texts, rest }: Body): boolean {
  const mark = `"type":"${Evaluated.UNKNOWN_WIRE_COMPARISON_TYPE}"`;
  return rest.digest === '' && Array.from(texts.values()).some((text) => text.includes(mark));
}

async function bodyOf(
  { flags, ...others }: { readonly flags: readonly unknown[] },
  clock: Clock,
): Promise<Body> {
  const texts = new Map<string, Buffer>();
  const repeated = new Set<string>();
  const pause = sharingTurns(clock);
  let bytes = 0;
  for (const [at, flag] of flags.entries()) {
    const { key } = checked(flag, keyedSchema, `flags[${at}]`);
    if (texts.has(key)) repeated.add(key);
    const text = Buffer.from(JSON.stringify(flag));
    bytes += text.length;
    if (bytes > MOST_SNAPSHOT_BYTES) throw new InvalidBody(`it has more than ${MOST_SNAPSHOT_BYTES} bytes`);
    texts.set(key, text);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return { texts, repeated, rest: checkedRest({ ...others, flags: [] }) };
}

function isFeaturesDocument(given: object): boolean {
  if ('digest' in given || 'confirmedAt' in given || 'format' in given) return false;
  if ('segments' in given || 'version' in given || typeof Reflect.get(given, 'namespace') === 'string') {
    return true;
  }
  return !some(given, 'flags', isSnapshotFlag) && some(given, 'flags', isFeaturesFlag);
}

function isSnapshotFlag(flag: object): boolean {
  return (
    'createdAt' in flag ||
    some(flag, 'rollouts', (rollout) => 'type' in rollout) ||
    some(flag, 'rules', (rule) => some(rule, 'segments', (segment) => 'key' in segment))
  );
}

function isFeaturesFlag(flag: object): boolean {
  const namesSegments = (rule: object) =>
    'segment' in rule || listIn(rule, 'segments').some((segment) => typeof segment === 'string');
  return (
    'variants' in flag ||
    some(flag, 'rollouts', (rollout) => !('type' in rollout)) ||
    some(flag, 'rules', namesSegments)
  );
}

function some(holder: object, name: string, test: (member: object) => boolean): boolean {
  return listIn(holder, name).some((member) => isObject(member) && test(member));
}

function listIn(holder: object, name: string): readonly unknown[] {
  const list: unknown = Reflect.get(holder, name);
  return Array.isArray(list) ? list : [];
}

function bodyOfFeatures(given: object, namespace: string, semantics: Evaluated.Semantics) {
  const features = featuresOfObjects(given, semantics).namespaces.get(namespace);
  if (features === undefined) throw new InvalidBody(`it has no namespace ${quoted(namespace)}`);
  const flags = Array.from(features.flags.values(), (flag) => wireFlag(flag, features.segments));
  return { namespace: { key: namespace }, semantics, flags };
}

type Segments = Evaluated.Features['segments'];

function wireFlag(flag: Evaluated.Flag, segments: Segments): object {
  const { type, key, enabled } = flag;
  if (flag.type === 'BOOLEAN_FLAG_TYPE')
    return { type, key, enabled, rollouts: flag.rollouts.map((rollout) => wireRollout(rollout, segments)) };
  const rules = flag.rules.map((rule) => {
    const distributions = rule.distributions.map(({ variantId, rollout }) => {
      const variant = variantOf(flag, variantId);
      return { variantKey: variant?.key, variantAttachment: variant?.attachment, rollout };
    });
    return { ...wireChoice(rule, segments), distributions };
  });
  const defaultVariant = variantOf(flag, flag.defaultVariantId);
  return {
    type,
    key,
    enabled,
    rules,
    ...(defaultVariant && {
      defaultVariant: { key: defaultVariant.key, attachment: defaultVariant.attachment },
    }),
  };
}

function wireRollout(rollout: Evaluated.Rollout, segments: Segments): object {
  const { value } = rollout;
  return rollout.kind === 'threshold'
    ? { type: 'THRESHOLD_ROLLOUT_TYPE', threshold: { percentage: rollout.percentage, value } }
    : { type: 'SEGMENT_ROLLOUT_TYPE', segment: { value, ...wireChoice(rollout, segments) } };
}

function wireChoice({ segmentKeys, segmentOperator }: Evaluated.SegmentChoice, segments: Segments) {
  const written = segmentKeys.flatMap((name) => segments.get(name) ?? []);
  return {
    segmentOperator,
    segments: written.map(({ key, matchType, constraints }) => ({
      key,
      matchType: Evaluated.wireMatchType(matchType),
      constraints: constraints.map(({ type, property, operator, value }) => ({
        type: Evaluated.wireComparisonType(type),
        property,
        operator,
        value,
      })),
    })),
  };
}
