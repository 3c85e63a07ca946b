import * as fs from 'node:fs/promises';
import { unlessMissing } from './fingerprint.js';

/** The file stays as it is. The message says what to do. */
export class NotReplacedError extends Error {
  constructor(reason: string) {
    super(`${reason}, and is not overwritten; move it away, or name another file`);
  }
}

/** Holds the first line of a kept snapshot, with a long address in it. */
const BEGINNING_BYTES = 16_384;

/**
 * Decides for everything that this package writes whether it may replace a file: only if the file is missing, empty, or
 * begins as `isOurs` expects, even if the rest is damaged. Returns that beginning. Otherwise rejects with a
 * {@link NotReplacedError}, or with Node's error if the file cannot be read. A link goes through `targetOf` first.
 */
export async function replaceableBeginning(
  path: string,
  isOurs: (beginning: string) => boolean,
): Promise<string> {
  const beginning = await beginningOf(path);
  if (beginning === undefined) throw new NotReplacedError('it is not a file');
  if (beginning === '' || isOurs(beginning)) return beginning;
  throw new NotReplacedError('it was not written by this package');
}

/** Empty for a missing file; `undefined` if it is a folder, a device or a pipe, whose reading might not end. */
async function beginningOf(path: string): Promise<string | undefined> {
  const stats = await fs.stat(path).catch(unlessMissing);
  if (stats === undefined) return '';
  if (!stats.isFile()) return undefined;
  const file = await fs.open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
