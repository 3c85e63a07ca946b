import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { NotReplacedError, readIfThere, replaceableBeginning } from '../../base/files/durable-file.js';
import type { Environment } from '../../options/environment.js';
import { messageOf, quoted } from '../../base/text/describe.js';
import { CommandError, WrongArgument, type CommandRuntime, type OptionValues } from '../command.js';
import { loadFeatures, noFlags, readSource } from '../features-source.js';
import { flagTypes } from './flag-types.js';
import { augmentFile, MARK, typedFile } from './typed-file.js';

/**
 * Writes the generated files that are out of date, or, with `--check`, only compares the files on disk with the new
 * texts. Resolves with the exit code.
 */
export async function writeTypes(values: OptionValues, runtime: CommandRuntime): Promise<number> {
  const { source, out, augment, isCheck } = readTypes(values, runtime.env);
  const { namespace, features, beside } = await loadFeatures(source, 'types', runtime);
  const flags = flagTypes(features, source.kind === 'file');
  if (flags.length === 0) throw noFlags(namespace);
  for (const [key, { reason }] of features.unreadable ?? []) {
    runtime.complain(`Flag ${quoted(key)} may have any type here, because it cannot be read (${reason})`);
  }
  if (source.kind === 'file' && source.namespace === undefined && beside.length > 0) {
    const others = beside.map(({ key }) => quoted(key)).join(', ');
    runtime.complain(
      `These are the flags of namespace ${quoted(namespace)}. The file also has namespace${beside.length === 1 ? '' : 's'} ${others}: write one file for each, with --namespace`,
    );
  }
  const wanted = [{ path: out, text: typedFile(flags) }];
  if (augment !== undefined) wanted.push({ path: augment, text: augmentFile(flags) });
  // All files are compared before the first one is written.
  const files = await Promise.all(
    wanted.map(async ({ path, text }) => ({ path, text, isCurrent: await holds(path, text) })),
  );
  for (const { path, text, isCurrent } of files) {
    if (isCurrent) runtime.print(`${path} is up to date`);
    else if (isCheck) throw new CommandError(`${path} is out of date; run ${commandLine(runtime.argv)}`);
    else {
      await write(path, text);
      const asText =
        source.kind === 'file' ? '' : '; variants have the type string, because a snapshot may lack some';
      runtime.print(`Wrote ${path}: ${flags.length} ${flags.length === 1 ? 'flag' : 'flags'}${asText}`);
    }
  }
  return 0;
}

/**
 * Resolves with whether the file consists of this text, whatever the line endings are. Rejects if another program wrote
 * the file, or if the file cannot be read.
 */
async function holds(path: string, text: string): Promise<boolean> {
  try {
    await replaceableBeginning(path, (beginning) => beginning.startsWith(MARK));
    // The line endings do not count, because Git might have changed them.
    return (await readIfThere(path))?.replaceAll('\r\n', '\n') === text;
  } catch (error) {
    const wrong = error instanceof NotReplacedError ? '' : 'cannot be read: ';
    throw new CommandError(`${path}: ${wrong}${messageOf(error)}`, { cause: error });
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw new CommandError(`${path}: cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Returns the command line that writes the files, which is the given one without `--check`. The command line is safe to
 * print, because arguments with credentials are refused.
 */
function commandLine(argv: readonly string[]): string {
  const words = argv
    .filter((word) => word !== '--check')
    .map((word) => (/^[\w./:=@-]+$/.test(word) ? word : quoted(word)));
  return ['openfeature-flipt-provider', ...words].join(' ');
}

const DECLARATIONS = /\.d\.[cm]?ts$/;

/** Reads the options of `types`. Throws a {@link WrongArgument} if an option is wrong. */
export function readTypes(values: OptionValues, env: Environment) {
  const { out, augment, check = false } = values;
  if (out === undefined) throw new WrongArgument('--out: missing; expected a .ts file');
  if (!/\.[cm]?ts$/.test(out) || DECLARATIONS.test(out)) {
    throw new WrongArgument(
      `--out: expected a .ts file (not .d.ts, because it also contains code), got ${out}`,
    );
  }
  if (augment !== undefined && !DECLARATIONS.test(augment)) {
    throw new WrongArgument(`--augment: expected a .d.ts file, got ${augment}`);
  }
  if (augment !== undefined && withoutEnding(augment) === withoutEnding(out)) {
    throw new WrongArgument(
      `--augment: expected another name than --out has (TypeScript does not read ${augment} beside ${out})`,
    );
  }
  return {
    /** The path of the file to write. */
    out,
    /**
     * The path of the declaration file that makes `@openfeature/core` know the keys of the flags, or `undefined` if the
     * user does not want this file.
     */
    augment,
    /** Whether the command only compares the files, and does not write them. */
    isCheck: check,
    source: readSource(values, env),
  };
}

/**
 * Returns the path without its ending, such as `.ts` or `.d.ts`. The two generated files must not differ in the ending
 * only, because TypeScript takes a declaration file for the output of the .ts file with the same name.
 */
function withoutEnding(path: string): string {
  return resolve(path).replace(/(?:\.d)?\.[cm]?ts$/, '');
}
