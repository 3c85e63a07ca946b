import {
  bytesIfThere,
  removeLeftovers,
  replaceableBeginning,
  replaceFile,
  sizeOf,
  targetOf,
} from '../../base/files/durable-file.js';
import { MOST_SNAPSHOT_BYTES } from './snapshot-size.js';

/**
 * A temporary file that is younger than these milliseconds is not removed, because another process may still be writing
 * it.
 */
const LEFTOVER_AFTER_MS = 60_000;

/**
 * A text with more bytes than this counts as long. The beginning of a long text can be read before the rest. A text
 * that is not long is read whole, which takes a few milliseconds.
 */
export const LONG_BYTES = 1024 * 1024;

/** Recognises a text by its beginning. */
export interface TextBeginning {
  /** Returns whether this package has written the text with this beginning. */
  readonly isOurs: (beginning: string) => boolean;
  /**
   * Returns words about the configuration that has written the text if it is another configuration than the present
   * one. Returns `undefined` if the present configuration has written the text, or if the beginning does not show which
   * configuration has written it.
   */
  readonly otherPlace: (beginning: string) => string | undefined;
}

/**
 * Keeps the text in a file that only the file's owner can read (except on Windows), because segments can hold personal
 * data. Several processes with the same configuration can share the file, which then holds the text that was saved
 * last. If `load` finds a text of another configuration, the user has probably changed the configuration, and `save`
 * replaces the text. If a text of another configuration appears after `load`, another process uses the file, and `save`
 * rejects. If the path is a symbolic link, the link stays, and the file to which it points is replaced.
 */
export function fileStore(path: string, { isOurs, otherPlace }: TextBeginning) {
  let loaded = '';
  const loadBeginning = async (target: string) => {
    loaded = await replaceableBeginning(target, isOurs);
    return loaded;
  };
  return {
    /** Returns the beginning of a long text. Returns `undefined` if the text is not long, or if there is none. */
    async beginning(): Promise<string | undefined> {
      return (await sizeOf(path)) > LONG_BYTES ? loadBeginning(path) : undefined;
    },
    async load(): Promise<Buffer | undefined> {
      const target = await targetOf(path);
      await removeLeftovers(target, LEFTOVER_AFTER_MS).catch(() => undefined);
      const beginning = await loadBeginning(target);
      return beginning === '' ? undefined : bytesIfThere(target, MOST_SNAPSHOT_BYTES);
    },
    async save(text: string): Promise<void> {
      const target = await targetOf(path);
      const check = async () => {
        const beginning = await replaceableBeginning(target, isOurs);
        const other = beginning === loaded ? undefined : otherPlace(beginning);
        if (other === undefined) return;
        throw new Error(`another process uses the file: ${other}; give each a file of its own`);
      };
      // This first check runs before the text is written to a temporary file beside the target. `replaceFile` repeats
      // the check just before it replaces the target.
      await check();
      await replaceFile(target, text, check);
    },
  };
}
