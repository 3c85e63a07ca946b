import { stat } from 'node:fs/promises';
import type { Clock } from '../../clock.js';

const INTERVAL_MS = 250;

/** Tells one version of a file from the next; that there is none is a version too. */
export type Fingerprint = string;

export async function fingerprint(path: string): Promise<Fingerprint> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return 'none';
  }
}

/**
 * Looks at a file four times a second and calls `changed` when it is another than `known` and was the same twice: an
 * editor may write in several steps, and half a file may look like a whole one. Unlike a watch of the file system,
 * this sees every way of saving, on every disk. Returns what ends it.
 */
export function watchFile(
  path: string,
  known: Fingerprint,
  changed: () => Promise<void>,
  clock: Clock,
  look: (path: string) => Promise<Fingerprint> = fingerprint,
): () => void {
  let before = known;
  let taken = known;
  let cancel: () => void;
  let ended = false;

  const check = async (): Promise<void> => {
    const now = await look(path);
    if (ended) return;
    if (now === before && now !== taken) {
      taken = now;
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
