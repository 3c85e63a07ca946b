import { nodeModules } from '../node-modules.js';
import * as fs from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf } from '../text/describe.js';
import { slicesOf } from '../text/slices.js';
import { fingerprint, type Fingerprint, unlessMissing } from './fingerprint.js';

/**
 * The error for a file that holds its new text, but might lose that text if the machine stops suddenly. If the
 * replacement of a file fails with any other error, the file is as it was before.
 */
export class NotSyncedError extends Error {
  constructor(
    readonly written: Fingerprint | undefined,
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

/**
 * Returns the file that a path leads to. If the path is a link, call this function before {@link replaceFile}, so that
 * the link stays and its target is replaced. The target of a link need not exist yet. Rejects with Node's error if
 * links lead in a circle.
 */
export async function targetOf(path: string): Promise<string> {
  const found = await fs.realpath(path).catch(unlessMissing);
  if (found !== undefined) return found;
  const next = await fs.readlink(path).catch(() => undefined);
  return next === undefined ? path : targetOf(resolve(dirname(path), next));
}

/**
 * Returns the text of a file, or `undefined` if there is no such file. Rejects with Node's error if the file cannot be
 * read.
 */
export async function readIfThere(path: string): Promise<string | undefined> {
  return fs.readFile(path, 'utf8').catch(unlessMissing);
}

/** Returns the size of a file in bytes, or 0 if there is no such file. */
export async function sizeOf(path: string): Promise<number> {
  const stats = await fs.stat(path).catch(unlessMissing);
  return stats?.size ?? 0;
}

/**
 * Returns the bytes of a file, or `undefined` if there is no such file. Rejects with Node's error if the file cannot be
 * read. If the path leads to a folder, a device, a pipe, or a file whose size is more than `mostBytes`, the function
 * rejects before it reads anything.
 */
export async function bytesIfThere(path: string, mostBytes: number): Promise<Buffer | undefined> {
  const file = await openFile(path);
  return thenClosed(file, async () => file && readAll(file, mostBytes));
}

/** Runs `work`, and then closes the file, even if `work` has failed. */
async function thenClosed<Result>(file: fs.FileHandle | undefined, work: () => Promise<Result>) {
  try {
    return await work();
  } finally {
    await file?.close();
  }
}

/** The error of a path that leads to a folder, a device or a pipe. Reading a device or a pipe might never end. */
export class NotAFileError extends Error {
  override readonly message = 'it is not a file';
}

/**
 * Opens a file for reading; returns `undefined` if there is no such file. Rejects with a {@link NotAFileError} if the
 * path leads to something else than a file, even if somebody replaces the file by a pipe just before it is opened. This
 * function does not wait until another process opens the other end of a pipe, which might never happen.
 */
export async function openFile(path: string): Promise<fs.FileHandle | undefined> {
  const stats = await fs.stat(path).catch(unlessMissing);
  if (stats?.isFile() === false) throw new NotAFileError();
  const file = await fs.open(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK).catch(unlessMissing);
  if (file === undefined || (await file.stat()).isFile()) return file;
  await file.close();
  throw new NotAFileError();
}

/**
 * Reads a whole file. The size that `stat` gives for a file can be smaller than what can be read, because the file
 * might grow, and because some files of the system have no size.
 */
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

/** A full buffer grows by at least this many bytes, as far as `mostBytes` allows. */
const LEAST_BYTES = 4096;

/** Returns the message about a text that is not read because it has more than `mostBytes` bytes. */
export function tooLargeMessage(mostBytes: number): string {
  return `it has more than ${mostBytes} bytes`;
}

/**
 * Replaces the text of a file in one step. Other processes that read the file see all of the old text or all of the new
 * text. Once the promise has resolved, the new text usually survives a power failure. By default, the file gets a mode
 * with which only its owner can read and write it. If `mode.ofNew` is given, an existing file keeps its mode, and a new
 * file gets the mode `ofNew`, reduced by the umask. The function `check` is called last, just before the file is
 * replaced; if `check` rejects, the file stays as it is. The promise rejects with a {@link NotSyncedError} if the file
 * was replaced but could not be synced, and with another error if the file was not replaced.
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

/**
 * Removes the temporary files of processes that were killed inside {@link replaceFile}. Temporary files that are
 * younger than `minAgeMs` stay, because another process that writes the same file might still use them. With the
 * default 0, all temporary files are removed.
 */
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

/** Returns the permissions of a file, or `undefined` if there is no such file. */
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
    // The text is written in slices, because encoding all of a long text at once would block the event loop.
    for (const [, slice] of slicesOf(text)) await file.writeFile(slice);
    await file.sync();
    return fingerprint(file);
  });
}

/**
 * Opens a folder, so that a rename in it can be synced. Windows cannot open a folder, but on Windows, a rename survives
 * without a sync.
 */
async function openFolder(path: string): Promise<fs.FileHandle | undefined> {
  return process.platform === 'win32' ? undefined : fs.open(path, 'r');
}

/**
 * The error for a file that this package refuses to replace, so that the file stays as it is. The message of this error
 * says what to do.
 */
export class NotReplacedError extends Error {
  constructor(reason: string) {
    super(`${reason}, and is not overwritten; move it away, or name another file`);
  }
}

/**
 * This many bytes are enough for the first line of a file with a saved snapshot, even if that line holds a long
 * address.
 */
const BEGINNING_BYTES = 16_384;

/**
 * Checks whether this package is allowed to replace a file; everything in this package that writes files uses this
 * check. A file can be replaced only if it is missing, is empty, or has a beginning for which `isOurs` returns true;
 * the rest of the file does not matter. Returns the beginning of the file. If the file must not be replaced, the
 * promise rejects with a {@link NotReplacedError}, or with Node's error if the file cannot be read. If the path might
 * be a link, pass the path that `targetOf` returns.
 */
export async function replaceableBeginning(
  path: string,
  isOurs: (beginning: string) => boolean,
): Promise<string> {
  const beginning = await readBeginning(path);
  if (beginning === '' || isOurs(beginning)) return beginning;
  throw new NotReplacedError('it was not written by this package');
}

/** Reads the beginning of a file; returns an empty text if the file is missing. */
async function readBeginning(path: string): Promise<string> {
  const file = await openFile(path).catch((error: unknown) => {
    throw error instanceof NotAFileError ? new NotReplacedError(error.message) : error;
  });
  if (file === undefined) return '';
  const read = () => file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
  const { buffer, bytesRead } = await thenClosed(file, read);
  return buffer.toString('utf8', 0, bytesRead);
}
