import * as v from 'valibot';
import type { SnapshotPlace } from '../../stores/snapshot-store.js';
import { quoted } from '../../text/describe.js';
import type { Clock } from '../../time/clock.js';
import { writeBody } from '../body/write-body.js';
import type { Snapshot } from '../snapshot.js';

/* A snapshot that was given away, to start from it later: Flipt's body, and what this package adds to it. */

const originSchema = v.object({
  /** When the service last confirmed it. */
  confirmedAt: v.fallback(v.optional(v.pipe(v.string(), v.isoTimestamp())), undefined),
  /** `undefined`: it may serve every environment. */
  environment: v.fallback(v.optional(v.string()), undefined),
});

/** How the text of one begins that {@link givenSnapshot} has made, also after a formatter. */
export const isGivenSnapshot = (beginning: string) =>
  /^\s*\{\s*"confirmedAt":\s*"[\dTZ:.-]+",\s*"(?:environment|namespace)":/.test(beginning);

/** The snapshot in plain JSON values. `confirmedAt` is in the clock's milliseconds. */
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

/** When the service last confirmed a given snapshot, in the clock's milliseconds; `undefined` if it does not say so. */
export function givenConfirmedAt(given: object, clock: Clock): number | undefined {
  const { confirmedAt } = v.parse(originSchema, given);
  if (confirmedAt === undefined) return undefined;
  // The date may be later than this machine's.
  return clock.now() - Math.max(0, clock.date() - Date.parse(confirmedAt));
}

/** Throws if it is of another environment, which may have other values for the same flags. */
export function checkEnvironment(given: object, environment: string | undefined): void {
  const { environment: written } = v.parse(originSchema, given);
  if (written === undefined || written === environment) return;
  const wanted = environment === undefined ? 'none' : quoted(environment);
  throw new Error(`it belongs to environment ${quoted(written)}, and the option is ${wanted}`);
}
