import {
  bytesIfThere,
  removeLeftovers,
  replaceableBeginning,
  replaceFile,
  targetOf,
} from '../../base/files/durable-file.js';
import { MOST_SNAPSHOT_BYTES } from './snapshot-size.js';

/**
 * A temporary file that is younger than these milliseconds is not removed, because it may belong to a process that is
 * still writing.
 */
const LEFTOVER_AFTER_MS = 60_000;

/** Recognises a text by its beginning. */
export interface TextBeginning {
  /** Returns whether this package has written the text. */
  readonly isOurs: (beginning: string) => boolean;
  /**
   * Returns which other configuration has written the text. Returns `undefined` if this one wrote it, or if the text
   * does not say.
   */
  readonly otherPlace: (beginning: string) => string | undefined;
}

/**
 * Keeps the text in a file that only its owner may read, because segments may hold personal data. Several processes
 * with one configuration may share the file, and the last one to save wins. If `load` finds a text of another
 * configuration, the user has changed the configuration, and `save` replaces the text. If such a text appears later,
 * another process uses the file, and `save` rejects. If the path is a link, the link stays, and its target is replaced.
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
      // The check also runs before the text is written to the temporary file beside the target.
      await check();
      await replaceFile(target, text, check);
    },
  };
}
