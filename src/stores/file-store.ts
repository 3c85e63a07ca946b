import { readIfThere, removeLeftovers, replaceFile, targetOf } from '../files/durable-file.js';
import type { TextStore } from './safe-store.js';

/** A younger leftover may belong to a process that is still writing. */
const LEFTOVER_AFTER_MS = 60_000;

/**
 * Keeps the text in a file that only its owner may read, because segments may hold personal data. Several processes may
 * share the file; the last one to save wins. If the path is a link, the link stays and its target is replaced.
 */
export function fileStore(path: string): Pick<TextStore, 'save'> & { load(): Promise<string | undefined> } {
  return {
    async load() {
      await removeLeftovers(await targetOf(path), LEFTOVER_AFTER_MS).catch(() => undefined);
      return readIfThere(path);
    },
    async save(text) {
      await replaceFile(await targetOf(path), text);
    },
  };
}
