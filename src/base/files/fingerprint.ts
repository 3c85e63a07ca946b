import { type FileHandle, stat } from 'node:fs/promises';

/** From size, time and inode. */
export type Fingerprint = string;

/** `undefined` if there is no such file. Rejects with Node's error if it cannot be read. */
export async function fingerprint(file: string | FileHandle): Promise<Fingerprint | undefined> {
  const looking = typeof file === 'string' ? stat(file, { bigint: true }) : file.stat({ bigint: true });
  const stats = await looking.catch(unlessMissing);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

export function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
