import { messageOf, isObject, quoted } from '../base/text/describe.js';
import { inTurns } from '../base/time/turns.js';
import type { Clock } from '../base/time/clock.js';
import type { Semantics } from '../engine/features.js';
import { DEFAULT_SEMANTICS, isV2, NEWEST_V2 } from '../engine/version-differences.js';
import { featuresOfObjects } from '../features/check-documents.js';
import { snapshotBody } from '../features/snapshot-body.js';
import type { SnapshotOptions } from '../options/provider-options.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { checkedRest, type Body } from './body.js';
import { snapshotOf, type StartingSnapshot } from './snapshot.js';
import { whenConfirmed } from './text.js';
import { checked, InvalidBody, keyedSchema, MOST_SNAPSHOT_BYTES } from './wire.js';

/** The option's check has found the list. */
interface Given {
  readonly flags: readonly unknown[];
  readonly semantics?: Semantics;
}

/** Reads the option: Flipt's body, what `getSnapshot()` or the command gave, or a features document. */
export async function initialSnapshot(
  { initial, semantics = DEFAULT_SEMANTICS }: SnapshotOptions,
  { namespace, environment }: SnapshotPlace,
  warn: (message: string) => void,
  clock: Clock,
): Promise<StartingSnapshot | undefined> {
  if (initial === undefined) return undefined;
  try {
    const given = initial as Given;
    const written = isFeaturesDocument(given) ? bodyOfFeatures(given, namespace, semantics) : given;
    const body = await bodyOf(written, clock);
    const { rest } = body;
    if (rest.environment !== undefined && rest.environment !== environment) {
      const wanted = environment === undefined ? 'none' : quoted(environment);
      throw new InvalidBody(
        `it belongs to environment ${quoted(rest.environment)}, and the option is ${wanted}`,
      );
    }
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

async function bodyOf({ flags, ...others }: Given, clock: Clock): Promise<Body> {
  const texts = new Map<string, Buffer>();
  const repeated = new Set<string>();
  let bytes = 0;
  await inTurns(flags.entries(), clock, ([at, flag]) => {
    const { key } = checked(flag, keyedSchema, `flags[${at}]`);
    if (texts.has(key)) repeated.add(key);
    const text = Buffer.from(JSON.stringify(flag));
    bytes += text.length;
    if (bytes > MOST_SNAPSHOT_BYTES) throw new InvalidBody(`it has more than ${MOST_SNAPSHOT_BYTES} bytes`);
    texts.set(key, text);
  });
  return { texts, repeated, rest: checkedRest({ ...others, flags: [] }) };
}

/** Where a snapshot has nothing that no document has, both readings give the same values. */
function isFeaturesDocument(given: Given): boolean {
  const isSnapshot = ['format', 'digest', 'confirmedAt'].some((name) => name in given);
  return !isSnapshot && !given.flags.some(isSnapshotFlag);
}

function isSnapshotFlag(flag: unknown): boolean {
  return (
    isObject(flag) &&
    ('createdAt' in flag ||
      'defaultVariant' in flag ||
      objectsIn(flag, 'rollouts').some((rollout) => 'type' in rollout) ||
      objectsIn(flag, 'rules').some((rule) => objectsIn(rule, 'segments').length > 0))
  );
}

function objectsIn(holder: object, name: string): readonly object[] {
  const list: unknown = Reflect.get(holder, name);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function bodyOfFeatures(given: object, namespace: string, semantics: Semantics): Given {
  const features = featuresOfObjects(given, semantics).namespaces.get(namespace);
  if (features === undefined) throw new InvalidBody(`it has no namespace ${quoted(namespace)}`);
  return { ...snapshotBody(features, semantics), semantics };
}
