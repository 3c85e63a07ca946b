import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { replaceableBeginning, replaceFile, targetOf } from '../base/file.js';
import { messageOf, quoted } from '../base/text/describe.js';
import { variable } from '../options/settings.js';
import { isSnapshotText, snapshotText } from '../snapshot/text.js';
import { CommandError, type CommandRuntime } from './runtime.js';
import { CREDENTIALS, fliptSnapshot, noFlags, type ServiceOptions } from './source.js';

export interface SnapshotCommandOptions extends ServiceOptions {
  readonly out: string;
}

/** A container often runs as another user than the one that built its image. */
const READABLE_FOR_ALL = 0o644;

/** Fetches a snapshot from Flipt, and writes it into a file. */
export async function writeSnapshot(
  { out, ...options }: SnapshotCommandOptions,
  runtime: CommandRuntime,
): Promise<number> {
  // No default: a build that used localhost by accident would write the flags of the wrong Flipt.
  const url = options.url ?? variable(runtime.env, 'FLIPT_URL');
  if (!url) throw new CommandError('expected the address of Flipt as --url, or in FLIPT_URL');
  const { namespace, environment, snapshot, etag } = await fliptSnapshot(
    { ...options, url },
    'snapshot',
    runtime,
  );
  const count = snapshot.flags.keys().size;
  // Flipt v1 also gives an empty snapshot for a namespace that does not exist.
  if (count === 0) throw noFlags(namespace);
  for (const [key, { reason }] of snapshot.flags.whole().unreadable) {
    runtime.complain(
      `Flag ${quoted(key)} gives defaults while Flipt is down, because it cannot be read (${reason})`,
    );
  }
  const { clock } = runtime;
  const confirmed = { snapshot, etag, confirmedAt: clock.now() };
  await replace(out, await snapshotText(confirmed, { namespace, environment }, clock));
  runtime.print(`Wrote ${out}: ${count} ${count === 1 ? 'flag' : 'flags'}`);
  return 0;
}

async function replace(out: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(out), { recursive: true });
    const target = await targetOf(out);
    const check = () => replaceableBeginning(target, isSnapshotText);
    await replaceFile(target, text, { mode: READABLE_FOR_ALL, keepsMode: true, check });
  } catch (error) {
    throw new CommandError(`${out}: ${messageOf(error)}`, { cause: error });
  }
}

export const SNAPSHOT_HELP = `
FLIPT_URL can name the address in place of --url.
${CREDENTIALS}

Example
  openfeature-flipt-provider snapshot --url http://localhost:8080 --out flags.json`;
