import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readIfThere } from '../../files/durable-file.js';
import { NotReplacedError, replaceableBeginning } from '../../files/own-file.js';
import { messageOf, quoted } from '../../text/describe.js';
import { loadFeatures } from '../features-source/load-features.js';
import type { CommandRuntime } from '../command-runtime.js';
import { CommandError } from '../command-error.js';
import { flagTypes } from './flag-types.js';
import { augmentFile, MARK, typedFile } from './typed-file.js';
import type { TypesArguments } from './types-arguments.js';

/** Writes the files of types, or compares them; resolves with the exit code. */
export async function writeTypes(asked: TypesArguments, runtime: CommandRuntime): Promise<number> {
  const { source, out, augment, isCheck } = asked;
  const { features } = await loadFeatures(source, 'types', runtime);
  const flags = flagTypes(features, source.kind === 'file');
  if (flags.length === 0) {
    throw new CommandError(
      `namespace ${quoted(source.namespace)} has no flags; choose another with --namespace`,
    );
  }
  for (const [key, { reason }] of features.unreadable ?? []) {
    runtime.complain(`Flag ${quoted(key)} may be of any type: it cannot be read (${reason})`);
  }
  const wanted = [{ path: out, text: typedFile(flags) }];
  if (augment !== undefined) wanted.push({ path: augment, text: augmentFile(flags) });
  // Checks all files before it writes the first one.
  const files = await Promise.all(
    wanted.map(async ({ path, text }) => ({ path, text, isCurrent: isSame(await ownText(path), text) })),
  );
  for (const { path, text, isCurrent } of files) {
    if (isCurrent) runtime.print(`${path} is up to date`);
    else if (isCheck) throw new CommandError(`${path} is out of date; run ${commandLine(runtime.argv)}`);
    else {
      await write(path, text);
      runtime.print(`Wrote ${path}: ${flags.length} ${flags.length === 1 ? 'flag' : 'flags'}`);
    }
  }
  return 0;
}

/** The text of a file that this command has written; `undefined` if there is no file. */
async function ownText(path: string): Promise<string | undefined> {
  try {
    await replaceableBeginning(path, (beginning) => beginning.startsWith(MARK));
    return await readIfThere(path);
  } catch (error) {
    const wrong = error instanceof NotReplacedError ? '' : 'cannot be read: ';
    throw new CommandError(`${path}: ${wrong}${messageOf(error)}`, { cause: error });
  }
}

/** Git may have changed the line ends. */
function isSame(text: string | undefined, wanted: string): boolean {
  return text?.replaceAll('\r\n', '\n') === wanted;
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw new CommandError(`${path}: cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** Safe to print: credentials in arguments are refused. */
function commandLine(argv: readonly string[]): string {
  const words = argv
    .filter((word) => word !== '--check')
    .map((word) => (/^[\w./:=@-]+$/.test(word) ? word : quoted(word)));
  return ['openfeature-flipt-provider', ...words].join(' ');
}
