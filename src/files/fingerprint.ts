import { type FileHandle, stat } from 'node:fs/promises';

/** Differs between two versions of a file, as far as this can be seen without a lock. */
export type Fingerprint = string;

/** Undefined where there is no such file. Rejects with node's error where the file cannot be looked at. */
export async function fingerprint(file: string | FileHandle): Promise<Fingerprint | undefined> {
  const looking = typeof file === 'string' ? stat(file, { bigint: true }) : file.stat({ bigint: true });
  const stats = await looking.catch(unlessMissing);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

/** Turns the failure of a file that is not there into undefined, and throws every other one. */
export function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
