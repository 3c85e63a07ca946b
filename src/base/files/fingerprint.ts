import { type FileHandle, stat } from 'node:fs/promises';

/** A text that differs between two versions of a file if their size, their time or their inode differs. */
export type Fingerprint = string;

/**
 * Returns the fingerprint of a file, or `undefined` if there is no such file. Rejects with Node's error if the file's
 * size and times cannot be read.
 */
export async function fingerprint(file: string | FileHandle): Promise<Fingerprint | undefined> {
  const looking = typeof file === 'string' ? stat(file, { bigint: true }) : file.stat({ bigint: true });
  const stats = await looking.catch(unlessMissing);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

/** Returns `undefined` for the error of a file that does not exist, and throws every other error. */
export function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
