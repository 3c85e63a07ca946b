import type { Clock } from '../base/time/clock.js';
import type { SnapshotOptions } from '../options/snapshot-options.js';
import { givenConfirmedAt } from './given-snapshot.js';
import { hasFlags } from './snapshot.js';
import type { StartingSnapshot } from './watch/watch.js';

/** Chooses the snapshot to begin with: the younger one of the kept snapshot and the initial one. */
export async function youngestSnapshot(
  kept: Promise<(StartingSnapshot & { readonly confirmedAt: number }) | undefined> | undefined,
  { initial: given }: SnapshotOptions,
  initial: () => Promise<StartingSnapshot | undefined>,
  clock: Clock,
): Promise<(StartingSnapshot & { readonly isKept?: true }) | undefined> {
  const last = await kept;
  const initialAt = given && givenConfirmedAt(given, clock);
  // A new image of the app may bring a younger snapshot. A snapshot without flags is worth less than any other.
  const isYoungest = last && hasFlags(last.snapshot) && last.confirmedAt >= (initialAt ?? -Infinity);
  return isYoungest ? { ...last, isKept: true } : ((await initial()) ?? last);
}
