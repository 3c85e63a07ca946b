import { NotAFileError, openFile } from './durable-file.js';

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
  if (beginning === '' || isOurs(beginning)) return beginning;
  throw new NotReplacedError('it was not written by this package');
}

/** Empty for a missing file. */
async function beginningOf(path: string): Promise<string> {
  const file = await openFile(path).catch((error: unknown) => {
    throw error instanceof NotAFileError ? new NotReplacedError(error.message) : error;
  });
  if (file === undefined) return '';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
