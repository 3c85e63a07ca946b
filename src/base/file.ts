import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';

/** A pipe or a device is refused, because reading it may never end. Resolves with `undefined` without a file. */
export async function bytesIfThere(path: string, mostBytes: number): Promise<Buffer | undefined> {
  const stats = await stat(path).catch(unlessMissing);
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new Error('it is not a file');
  if (stats.size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
  return readFile(path);
}

/** Other processes see all of the old text or all of the new one, which then survives a power failure. */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const aside = `${path}.${process.pid}-${threadId}.tmp`;
  try {
    await written(aside, text, mode);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
  // Windows cannot open a folder, and a rename survives there without it.
  if (process.platform === 'win32') return;
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function written(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Differs between two versions of a file. */
export type Fingerprint = string;

export async function fingerprint(path: string): Promise<Fingerprint | undefined> {
  const stats = await stat(path, { bigint: true }).catch(unlessMissing);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

export function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
