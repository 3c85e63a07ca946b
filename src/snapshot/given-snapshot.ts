import { nodeModules } from '../base/node-modules.js';
import * as v from 'valibot';
import { UNKNOWN_WIRE_COMPARISON_TYPE, type Semantics } from '../engine/features.js';
import { DEFAULT_SEMANTICS, hasDigest, isV2, NEWEST_V2 } from '../engine/version-differences.js';
import { featuresOfObjects } from '../features/check-documents.js';
import type { SnapshotOptions } from '../options/provider-options.js';
import { MOST_SNAPSHOT_BYTES } from './stores/snapshot-size.js';
import type { SnapshotPlace } from '../options/snapshot-store.js';
import { isObject, messageOf, quoted } from '../base/text/describe.js';
import { similarName } from '../base/text/closest-name.js';
import type { Clock } from '../base/time/clock.js';
import { tooLargeMessage } from '../base/files/durable-file.js';
import { parseSnapshot } from './body/parse-snapshot.js';
import { writeBody, writeFeatures } from './body/write-body.js';
import { snapshotOf, type Snapshot } from './snapshot.js';
import type { StartingSnapshot } from './watch/watch.js';

/**
 * Reads the snapshot in the option `snapshot.initial`. The promise resolves with `undefined` if the option is not set,
 * or if its snapshot cannot be used. The promise never rejects.
 */
export async function initialSnapshot(
  { initial, semantics = DEFAULT_SEMANTICS }: SnapshotOptions,
  { namespace, environment }: SnapshotPlace,
  warn: (message: string) => void,
  clock: Clock,
): Promise<StartingSnapshot | undefined> {
  if (initial === undefined) return undefined;
  try {
    checkEnvironment(initial, environment);
    const text = JSON.stringify(initialBody(initial, namespace, semantics));
    if (text.length > MOST_SNAPSHOT_BYTES) throw new Error(tooLargeMessage(MOST_SNAPSHOT_BYTES));
    if (isForOldClients(text)) warn(FOR_OLD_CLIENTS);
    const misspelt = misspeltMember(initial);
    if (misspelt !== undefined) warn(`snapshot.initial: ${misspelt}`);
    const ofV2 = isV2(semantics) ? semantics : NEWEST_V2;
    const parsed = await parseSnapshot(Buffer.from(text), namespace, clock, () => ofV2);
    const snapshot = await snapshotOf(parsed, clock);
    return { snapshot, etag: undefined, confirmedAt: givenConfirmedAt(initial, clock) };
  } catch (error) {
    warn(`snapshot.initial is not used: ${messageOf(error)}`);
    return undefined;
  }
}

const FOR_OLD_CLIENTS =
  'snapshot.initial was fetched from Flipt v1 without the header X-Flipt-Accept-Server-Version, so that it has no ' +
  'default variants and no constraints on entity ids: fetch it with "X-Flipt-Accept-Server-Version: 1.61.1"';

/**
 * Returns the body of the user's snapshot: the given object itself, or, if that object is a features document, a body
 * that is made from the document. If the features document has mistakes or does not have the namespace, the function
 * throws an error that says so.
 */
function initialBody(given: object, namespace: string, semantics: Semantics): object {
  if (!isFeaturesDocument(given)) return given;
  const features = featuresOfObjects(given, semantics).namespaces.get(namespace);
  if (features === undefined) throw new Error(`it has no namespace ${quoted(namespace)}`);
  const body = writeFeatures(namespace, features, { semantics, digest: undefined });
  // Each snapshot of Flipt v2 has a digest, so a body with the evaluation rules of Flipt v2 gets a digest, too.
  return hasDigest(semantics)
    ? { ...body, digest: nodeModules.crypto.createHash('sha1').update(JSON.stringify(body)).digest('hex') }
    : body;
}

/**
 * Returns whether Flipt v1 wrote the body for a client that does not send its version. For a client that does not send
 * its version, Flipt v1 writes the type of a constraint on entity ids as unknown, and this function looks for such a
 * constraint. Missing default variants prove nothing, because it is possible that no flag has a default variant.
 */
function isForOldClients(body: string): boolean {
  return body.includes(`"type":"${UNKNOWN_WIRE_COMPARISON_TYPE}"`) && !body.includes('"digest":"');
}

/**
 * Returns whether the object is a features document and not a snapshot. The function looks for members that only
 * features documents or only snapshots have. If no member shows whether the object is a features document or a
 * snapshot, the object is read as a snapshot.
 */
function isFeaturesDocument(given: object): boolean {
  if ('digest' in given || 'confirmedAt' in given) return false;
  if ('segments' in given || 'version' in given || typeof Reflect.get(given, 'namespace') === 'string') {
    return true;
  }
  return !some(given, 'flags', isSnapshotFlag) && some(given, 'flags', isFeaturesFlag);
}

const FLAG_MEMBERS = ['key', 'name', 'description', 'type', 'enabled', 'variants', 'rules', 'rollouts'];

/**
 * Returns a message about the first misspelt member of a flag, or `undefined` if the function finds none. The function
 * does not look into a features document, because another check finds its misspelt members, nor into a snapshot in
 * which a flag has the form in which Flipt writes flags.
 */
function misspeltMember(given: object): string | undefined {
  if (isFeaturesDocument(given) || some(given, 'flags', isSnapshotFlag)) return undefined;
  for (const [at, flag] of listIn(given, 'flags').entries()) {
    for (const name of isObject(flag) ? Object.keys(flag) : []) {
      const like = FLAG_MEMBERS.includes(name) ? undefined : similarName(name, FLAG_MEMBERS);
      if (like !== undefined) return `flags[${at}].${name}: unknown member; did you mean ${quoted(like)}?`;
    }
  }
  return undefined;
}

/**
 * Returns whether a flag has the form of a flag in a snapshot. One flag in the form of a snapshot is enough to
 * recognise a snapshot, because the other flags of the snapshot may be unreadable and have members of any name.
 */
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

/*
 * The rest of this file is about snapshots that `getSnapshot` or the command `snapshot` has written, so that a provider
 * can start from them later. A snapshot from `getSnapshot` or from the command `snapshot` has the form of Flipt's body,
 * with the additional members `semantics`, `confirmedAt` (if that time is known) and `environment` (only in a snapshot
 * from the command, and only if the environment is set).
 */

const originSchema = v.object({
  /** The time at which the service last confirmed the snapshot, as an ISO 8601 text. */
  confirmedAt: v.fallback(v.optional(v.pipe(v.string(), v.isoTimestamp())), undefined),
  /** The environment of the snapshot. A snapshot without `environment` can be used in every environment. */
  environment: v.fallback(v.optional(v.string()), undefined),
});

/**
 * Returns whether `beginning` is the beginning of a snapshot that {@link givenSnapshot} has made with a time of
 * confirmation, even if a formatter has changed the spaces.
 */
export const isGivenSnapshot = (beginning: string) =>
  /^\s*\{\s*"confirmedAt":\s*"[\dTZ:.-]+",\s*"(?:environment|namespace)":/.test(beginning);

/**
 * Returns the snapshot as plain JSON values. `confirmedAt` is the time at which the service last confirmed the
 * snapshot, in milliseconds of `clock.now()`.
 */
export function givenSnapshot(
  snapshot: Snapshot,
  confirmedAt: number | undefined,
  { namespace, environment }: Pick<SnapshotPlace, 'namespace' | 'environment'>,
  clock: Clock,
): object {
  const date = confirmedAt === undefined ? undefined : clock.date() - (clock.now() - confirmedAt);
  return {
    ...(date !== undefined && { confirmedAt: new Date(date).toISOString() }),
    ...(environment !== undefined && { environment }),
    ...writeBody(namespace, snapshot),
  };
}

/**
 * Returns the time at which the service last confirmed the user's snapshot, in milliseconds of `clock.now()`. Returns
 * `undefined` if the user's snapshot does not contain the time of a confirmation.
 */
export function givenConfirmedAt(given: object, clock: Clock): number | undefined {
  const { confirmedAt } = v.parse(originSchema, given);
  if (confirmedAt === undefined) return undefined;
  // If the clock of the machine that wrote the date is ahead of this machine's clock, the date can lie in the future,
  // and then the age counts as 0.
  return clock.now() - Math.max(0, clock.date() - Date.parse(confirmedAt));
}

/**
 * Throws if the user's snapshot belongs to another environment than `environment`, because the same flags can have
 * other values in another environment.
 */
function checkEnvironment(given: object, environment: string | undefined): void {
  const { environment: written } = v.parse(originSchema, given);
  if (written === undefined || written === environment) return;
  const wanted = environment === undefined ? 'none' : quoted(environment);
  throw new Error(`it belongs to environment ${quoted(written)}, and the option is ${wanted}`);
}
