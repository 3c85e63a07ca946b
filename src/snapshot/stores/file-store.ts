import {
  bytesIfThere,
  removeLeftovers,
  replaceableBeginning,
  replaceFile,
  targetOf,
} from '../../base/files/durable-file.js';
import { MOST_SNAPSHOT_BYTES } from './snapshot-size.js';

/** A younger leftover may belong to a process that is still writing. */
const LEFTOVER_AFTER_MS = 60_000;

/** How a text of this store begins. */
export interface TextBeginning {
  /** Whether this package has written the text. */
  readonly isOurs: (beginning: string) => boolean;
  /** Which other configuration has written it; `undefined` if it was this one, or if that cannot be read. */
  readonly otherPlace: (beginning: string) => string | undefined;
}

/**
 * Keeps the text in a file that only its owner may read, because segments may hold personal data. Several processes
 * with one configuration may share the file; the last one to save wins. If `load` finds a text of another
 * configuration, the configuration has changed, and `save` replaces the text. If such a text comes later, another
 * process uses the file, and `save` rejects. If the path is a link, the link stays and its target is replaced.
 */
export function fileStore(path: string, { isOurs, otherPlace }: TextBeginning) {
  let loaded = '';
  return {
    async load(): Promise<Buffer | undefined> {
      const target = await targetOf(path);
      await removeLeftovers(target, LEFTOVER_AFTER_MS).catch(() => undefined);
      loaded = await replaceableBeginning(target, isOurs);
      return loaded === '' ? undefined : bytesIfThere(target, MOST_SNAPSHOT_BYTES);
    },
    async save(text: string): Promise<void> {
      const target = await targetOf(path);
      const check = async () => {
        const beginning = await replaceableBeginning(target, isOurs);
        const other = beginning === loaded ? undefined : otherPlace(beginning);
        if (other === undefined) return;
        throw new Error(`another process uses the file: ${other}; give each a file of its own`);
      };
      // Before the text is written beside the file, too.
      await check();
      await replaceFile(target, text, check);
    },
  };
}
