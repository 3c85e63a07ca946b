import type { Clock } from '../../base/time/clock.js';
import { fingerprint, type Fingerprint } from '../../base/files/fingerprint.js';

const INTERVAL_MS = 250;

type Version = Fingerprint | undefined;

/** `undefined` if the file cannot be looked at; reading it then reports why. */
export const versionOf = (path: string): Promise<Version> => fingerprint(path).catch(() => undefined);

/**
 * Calls `changed` when the version that `look` finds differs from the `known` one. It looks four times a second, and
 * waits until two looks find the same version: an editor may write in several steps, and half a file may look like a
 * whole one. Unlike a watch of the file system, this sees every way of saving, on every disk. Returns a function that
 * stops it.
 */
export function watchFile(
  look: () => Promise<Version>,
  known: Version,
  changed: () => Promise<void>,
  clock: Clock,
): () => void {
  let before = known;
  let reported = known;
  let cancel: () => void;
  let ended = false;

  const check = async (): Promise<void> => {
    const now = await look();
    if (ended) return;
    if (now === before && now !== reported) {
      reported = now;
      await changed();
    }
    before = now;
    again();
  };
  const again = (): void => {
    if (!ended) cancel = clock.after(INTERVAL_MS, () => void check(), 'background');
  };

  again();
  return () => {
    ended = true;
    cancel();
  };
}
