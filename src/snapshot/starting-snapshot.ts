import type { Clock } from '../base/time/clock.js';
import type { SnapshotOptions } from '../options/provider-options.js';
import { givenConfirmedAt } from './given-snapshot.js';
import { hasFlags } from './snapshot.js';
import type { StartingSnapshot } from './watch/watch.js';

/**
 * Returns the snapshot from which the provider starts: the younger of the saved snapshot and the one in the option
 * `snapshot.initial`. A snapshot without `confirmedAt` counts as the older one.
 */
export async function youngestSnapshot(
  kept: Promise<(StartingSnapshot & { readonly confirmedAt: number }) | undefined> | undefined,
  { initial: given }: SnapshotOptions,
  initial: () => Promise<StartingSnapshot | undefined>,
  clock: Clock,
): Promise<(StartingSnapshot & { readonly isKept?: true }) | undefined> {
  const last = await kept;
  const initialAt = given && givenConfirmedAt(given, clock);
  // The option `snapshot.initial` can hold a younger snapshot than the store, for example after a new image of the app
  // was built. A saved snapshot without flags is used only if there is no other snapshot.
  const isYoungest = last && hasFlags(last.snapshot) && last.confirmedAt >= (initialAt ?? -Infinity);
  return isYoungest ? { ...last, isKept: true } : ((await initial()) ?? last);
}
