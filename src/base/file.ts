import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** For {@link replaceFile}: the link stays, and its target, which may be missing, is replaced. */
export async function targetOf(path: string): Promise<string> {
  const found = await realpath(path).catch(unlessMissing);
  if (found !== undefined) return found;
  const next = await readlink(path).catch(() => undefined);
  return next === undefined ? path : targetOf(resolve(dirname(path), next));
}

/** `undefined` if there is no such file. */
export async function bytesIfThere(path: string, mostBytes: number): Promise<Buffer | undefined> {
  const size = await sizeOf(path);
  if (size === undefined) return undefined;
  if (size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
  return readFile(path);
}

async function sizeOf(path: string): Promise<number | undefined> {
  const stats = await stat(path).catch(unlessMissing);
  // Reading a pipe or a device might never end.
  if (stats?.isFile() === false) throw new Error('it is a folder, a pipe or a device; expected a file');
  return stats?.size;
}

/** Enough for the first line of a saved snapshot, with a long address. */
const BEGINNING_BYTES = 16_384;

/** Only a file that is missing, empty, or begins as ours is replaced. Pass the target of a link. */
export async function replaceableBeginning(
  path: string,
  isOurs: (beginning: string) => boolean,
): Promise<string> {
  const beginning = (await sizeOf(path)) ? await beginningOf(path) : '';
  if (beginning === '' || isOurs(beginning)) return beginning;
  throw new Error(
    'it was not written by this package, and is not overwritten; move it away, or name another file',
  );
}

async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES));
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

interface Replacing {
  readonly mode?: number;
  /** Then `mode` is that of a new file. */
  readonly keepsMode?: boolean;
  /** Comes last. If it rejects, the file stays. */
  readonly check?: () => Promise<unknown>;
}

/** Other processes see all of the old text or all of the new one, which then survives a power failure. */
export async function replaceFile(
  path: string,
  text: string,
  { mode = 0o600, keepsMode = false, check }: Replacing = {},
): Promise<void> {
  const kept = keepsMode ? await stat(path).catch(unlessMissing) : undefined;
  // Windows cannot open a folder, and a rename survives there without it.
  const folder = process.platform === 'win32' ? undefined : await open(dirname(path));
  const aside = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await writeNew(aside, text, mode, kept?.mode);
    await check?.();
    await rename(aside, path).catch(explainMounted);
    await folder?.sync();
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    await folder?.close();
  }
}

async function writeNew(path: string, text: string, mode: number, kept: number | undefined): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    if (kept !== undefined) await file.chmod(kept & 0o777);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function explainMounted(error: unknown): never {
  if (!hasCode(error, 'EBUSY')) throw error;
  const why =
    'EBUSY: a file that is mounted by itself, for example into a container, cannot be replaced: mount its folder instead';
  throw new Error(why, { cause: error });
}

/** Temporary files of killed processes. A younger one might still be used by another process. */
export async function removeLeftovers(path: string, minAgeMs = 0): Promise<void> {
  const prefix = `${basename(path)}.`;
  const names = (await readdir(dirname(path)).catch(unlessMissing)) ?? [];
  for (const name of names) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length))) continue;
    const leftover = join(dirname(path), name);
    const stats = await stat(leftover).catch(unlessMissing);
    if (stats && Date.now() - stats.mtimeMs >= minAgeMs) await rm(leftover, { force: true });
  }
}

export function unlessMissing(error: unknown): undefined {
  if (hasCode(error, 'ENOENT')) return undefined;
  throw error;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
