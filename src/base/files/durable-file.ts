import { nodeModules } from '../node-modules.js';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../text/describe.js';
import { slicesOf } from '../text/slices.js';
import { fingerprint, type Fingerprint, unlessMissing } from './fingerprint.js';

/** The file holds its new text, but might lose it if the machine stops suddenly. */
export class NotSyncedError extends Error {
  constructor(
    readonly written: Fingerprint | undefined,
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

/** For {@link replaceFile}: the link stays, and its target, which may be missing, is replaced. */
export async function targetOf(path: string): Promise<string> {
  const found = await fs.realpath(path).catch(unlessMissing);
  if (found !== undefined) return found;
  const next = await fs.readlink(path).catch(() => undefined);
  return next === undefined ? path : targetOf(resolve(dirname(path), next));
}

/** `undefined` if there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  return fs.readFile(path, 'utf8').catch(unlessMissing);
}

/** 0 if there is no such file. */
export async function sizeOf(path: string): Promise<number> {
  const stats = await fs.stat(path).catch(unlessMissing);
  return stats?.size ?? 0;
}

/** `undefined` if there is no such file. Rejects before it reads if the file is too large or no file. */
export async function bytesIfThere(path: string, mostBytes: number): Promise<Buffer | undefined> {
  const file = await openFile(path);
  return thenClosed(file, async () => file && readAll(file, mostBytes));
}

async function thenClosed<Result>(file: fs.FileHandle | undefined, work: () => Promise<Result>) {
  try {
    return await work();
  } finally {
    await file?.close();
  }
}

/** Reading a device or a pipe might never end. */
export class NotAFileError extends Error {
  override readonly message = 'it is not a file';
}

/** Neither waits at a pipe nor reads one, even if somebody puts it there just before the file is opened. */
export async function openFile(path: string): Promise<fs.FileHandle | undefined> {
  const stats = await fs.stat(path).catch(unlessMissing);
  if (stats?.isFile() === false) throw new NotAFileError();
  const file = await fs.open(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK).catch(unlessMissing);
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  throw new NotAFileError();
}

/** More than `stat` says: the file might grow, and some files of the system have no size. */
async function readAll(file: fs.FileHandle, mostBytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (size > mostBytes) throw new Error(tooLargeMessage(mostBytes));
  let bytes = Buffer.allocUnsafe(size + 1);
  for (let end = 0; ;) {
    const { bytesRead } = await file.read(bytes, end, bytes.length - end);
    end += bytesRead;
    if (end > mostBytes) throw new Error(tooLargeMessage(mostBytes));
    if (bytesRead === 0) return bytes.subarray(0, end);
    if (end === bytes.length) bytes = Buffer.concat([bytes], Math.min(2 * end + LEAST_BYTES, mostBytes + 1));
  }
}

const LEAST_BYTES = 4096;

export function tooLargeMessage(mostBytes: number): string {
  return `it has more than ${mostBytes} bytes`;
}

/**
 * Others see all of the old text or all of the new one, which then survives a power failure. Only the owner can read
 * it, but with `mode.ofNew` an existing file keeps its mode. If `check`, which comes last, rejects, the file stays.
 * With a {@link NotSyncedError} the file was replaced, with any other error it was not.
 */
export async function replaceFile(
  path: string,
  text: string,
  check: () => Promise<void> = async () => undefined,
  mode: number | { readonly ofNew: number } = 0o600,
): Promise<Fingerprint | undefined> {
  const aside = `${path}.${nodeModules.crypto.randomBytes(8).toString('hex')}.tmp`;
  try {
    const kept = typeof mode === 'number' ? undefined : await modeOf(path);
    const written = await writeAside(aside, text, {
      mode: typeof mode === 'number' ? mode : mode.ofNew,
      kept,
    });
    const folder = await openFolder(dirname(path));
    return await thenClosed(folder, async () => {
      await check();
      await fs.rename(aside, path);
      await folder?.sync().catch((error: unknown) => {
        throw new NotSyncedError(written, error);
      });
      return written;
    });
  } catch (error) {
    if (!(error instanceof NotSyncedError)) await fs.rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Temporary files of killed processes. A younger one might still be used by another process. */
export async function removeLeftovers(path: string, minAgeMs = 0): Promise<void> {
  const prefix = `${basename(path)}.`;
  const names = (await fs.readdir(dirname(path)).catch(unlessMissing)) ?? [];
  const leftovers = names.filter(
    (name) => name.startsWith(prefix) && /^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length)),
  );
  for (const name of leftovers) {
    const leftover = join(dirname(path), name);
    if (minAgeMs === 0 || (await ageOf(leftover)) >= minAgeMs) await fs.rm(leftover, { force: true });
  }
}

async function ageOf(path: string): Promise<number> {
  const stats = await fs.stat(path).catch(unlessMissing);
  return stats ? Date.now() - stats.mtimeMs : 0;
}

async function modeOf(path: string): Promise<number | undefined> {
  const stats = await fs.stat(path).catch(unlessMissing);
  return stats && stats.mode & 0o777;
}

async function writeAside(
  path: string,
  text: string,
  { mode, kept }: { readonly mode: number; readonly kept?: number | undefined },
): Promise<Fingerprint | undefined> {
  const file = await fs.open(path, 'wx', mode);
  return thenClosed(file, async () => {
    if (kept !== undefined) await file.chmod(kept);
    // Encoding a long text at once would block the event loop.
    for (const [, slice] of slicesOf(text)) await file.writeFile(slice);
    await file.sync();
    return fingerprint(file);
  });
}

/** For the sync of a rename. Windows cannot open a folder, but a rename survives there without it. */
async function openFolder(path: string): Promise<fs.FileHandle | undefined> {
  return process.platform === 'win32' ? undefined : fs.open(path, 'r');
}

export class NotReplacedError extends Error {
  constructor(reason: string) {
    super(`${reason}, and is not overwritten; move it away, or name another file`);
  }
}

/** Enough for the first line of a saved snapshot, with a long address. */
const BEGINNING_BYTES = 16_384;

/** Only a file that is missing, empty, or begins as ours is replaced. Pass the target of a link. */
export async function replaceableBeginning(
  path: string,
  isOurs: (beginning: string) => boolean,
): Promise<string> {
  const beginning = await readBeginning(path);
  if (beginning === '' || isOurs(beginning)) return beginning;
  throw new NotReplacedError('it was not written by this package');
}

async function readBeginning(path: string): Promise<string> {
  const file = await openFile(path).catch((error: unknown) => {
    throw error instanceof NotAFileError ? new NotReplacedError(error.message) : error;
  });
  if (file === undefined) return '';
  const read = () => file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
  const { buffer, bytesRead } = await thenClosed(file, read);
  return buffer.toString('utf8', 0, bytesRead);
}
