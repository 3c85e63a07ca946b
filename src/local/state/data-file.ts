import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readState, writeState } from './data-format.js';
import type { State } from './records.js';
import { notSaved, savedUnsurely } from '../operations/service-error.js';
import type { Save } from './state-store.js';
import { messageOf } from '../../text/describe.js';

/** A data file that cannot be used; it is left as it is. The message names the file and what is wrong. */
export class DataFileError extends Error {
  /** What the error is called where it is printed. */
  override readonly name = 'DataFileError';
  /** What tells this error from others, whichever build of the package it comes from. */
  readonly code = 'ERR_DATA_FILE';
}

export interface DataFile {
  /** What it holds; undefined where there is no such file yet. */
  readonly state: State | undefined;
  /** Replaces what it holds, at once and for good: on return it survives the machine's sudden end. */
  readonly save: Save;
}

/** By these three another process's change of the file is noticed: as well as can be without a lock. */
interface Identity {
  readonly inode: bigint;
  readonly size: bigint;
  readonly modified: bigint;
}

/** Opens a data file, which need not exist yet. Throws a {@link DataFileError}. */
export async function openDataFile(given: string): Promise<DataFile> {
  try {
    // A link to the file stays a link.
    const path = await realpath(given).catch(() => given);
    await removeLeftovers(path);
    const { state, identity } = await read(path);
    return { state, save: saver(path, identity) };
  } catch (error) {
    if (error instanceof DataFileError) throw error;
    throw new DataFileError(`${given}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function read(path: string): Promise<{ state: State | undefined; identity: Identity | undefined }> {
  const file = await open(path, 'r').catch(unlessMissing);
  if (!file) return { state: undefined, identity: undefined };
  try {
    const identity = await identityOf(file);
    const state = readState(await file.readFile('utf8'));
    if ('wrong' in state) throw new DataFileError(`${path}: ${state.wrong}; it is left as it is`);
    return { state, identity };
  } finally {
    await file.close();
  }
}

function saver(path: string, opened: Identity | undefined): Save {
  let ours = opened;
  return async (state) => {
    const aside = `${path}.${randomBytes(8).toString('hex')}.tmp`;
    try {
      const next = await writeAside(aside, writeState(state));
      const folder = await openFolder(dirname(path));
      try {
        if (!isSame(await identityAt(path), ours)) {
          throw new Error(
            `another process has changed ${path}, which is not overwritten; start anew to use it`,
          );
        }
        await rename(aside, path);
        ours = next;
        await sync(folder);
      } finally {
        await folder?.close();
      }
    } catch (error) {
      if (error instanceof FolderSyncError) throw savedUnsurely(messageOf(error), error);
      await rm(aside, { force: true }).catch(() => undefined);
      throw notSaved(messageOf(error), error);
    }
  };
}

async function writeAside(path: string, text: string): Promise<Identity> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    return await identityOf(file);
  } finally {
    await file.close();
  }
}

class FolderSyncError extends Error {}

/** Windows cannot open a folder, and needs no help to keep a rename. */
async function openFolder(path: string): Promise<FileHandle | undefined> {
  return process.platform === 'win32' ? undefined : open(path, 'r');
}

async function sync(folder: FileHandle | undefined): Promise<void> {
  try {
    await folder?.sync();
  } catch (error) {
    throw new FolderSyncError(messageOf(error), { cause: error });
  }
}

/** What a process that was killed while writing has left behind. */
async function removeLeftovers(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  const names = (await readdir(dirname(path)).catch(unlessMissing)) ?? [];
  const leftovers = names.filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length)),
  );
  for (const name of leftovers) await rm(join(dirname(path), name), { force: true });
}

async function identityAt(path: string): Promise<Identity | undefined> {
  const stats = await stat(path, { bigint: true }).catch(unlessMissing);
  return stats && { inode: stats.ino, size: stats.size, modified: stats.mtimeNs };
}

async function identityOf(file: FileHandle): Promise<Identity> {
  const { ino: inode, size, mtimeNs: modified } = await file.stat({ bigint: true });
  return { inode, size, modified };
}

function isSame(left: Identity | undefined, right: Identity | undefined): boolean {
  return left?.inode === right?.inode && left?.size === right?.size && left?.modified === right?.modified;
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
