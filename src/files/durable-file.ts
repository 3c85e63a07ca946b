import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../text/describe.js';
import { fingerprint, type Fingerprint, unlessMissing } from './fingerprint.js';

/** The one failure after which a file holds its new text: it may lose it if the machine stops suddenly. */
export class NotSyncedError extends Error {
  constructor(
    readonly written: Fingerprint | undefined,
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

/** The file's text; undefined where there is no such file. Rejects with node's error where it cannot be read. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(unlessMissing);
}

/**
 * Replaces a file's text in one step: a reader sees all of the old text or all of the new one, and on return the new
 * one survives a power failure. Only its owner may read the file. `check` runs last before the file is replaced, and
 * keeps it as it is by rejecting. Rejects where the file is as before, or with a {@link NotSyncedError}.
 */
export async function replaceFile(
  path: string,
  text: string,
  check: () => Promise<void> = async () => undefined,
): Promise<Fingerprint | undefined> {
  const aside = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    const written = await writeAside(aside, text);
    const folder = await openFolder(dirname(path));
    try {
      await check();
      await rename(aside, path);
      await folder?.sync().catch((error: unknown) => {
        throw new NotSyncedError(written, error);
      });
      return written;
    } finally {
      await folder?.close();
    }
  } catch (error) {
    if (!(error instanceof NotSyncedError)) await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Removes what a process that was killed inside {@link replaceFile} has left behind. `minAgeMs`, for a file that several
 * processes write: what is younger may still be in use. Default 0: everything goes.
 */
export async function removeLeftovers(path: string, minAgeMs = 0): Promise<void> {
  const prefix = `${basename(path)}.`;
  const names = (await readdir(dirname(path)).catch(unlessMissing)) ?? [];
  const leftovers = names.filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length)),
  );
  for (const name of leftovers) {
    const leftover = join(dirname(path), name);
    if (minAgeMs === 0 || (await ageOf(leftover)) >= minAgeMs) await rm(leftover, { force: true });
  }
}

async function ageOf(path: string): Promise<number> {
  const stats = await stat(path).catch(unlessMissing);
  return stats ? Date.now() - stats.mtimeMs : 0;
}

async function writeAside(path: string, text: string): Promise<Fingerprint | undefined> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    return await fingerprint(file);
  } finally {
    await file.close();
  }
}

/** Windows cannot open a folder, and keeps a rename without help. */
async function openFolder(path: string): Promise<FileHandle | undefined> {
  return process.platform === 'win32' ? undefined : open(path, 'r');
}
