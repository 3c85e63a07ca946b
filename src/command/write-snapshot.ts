import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { replaceableBeginning, replaceFile, targetOf } from '../base/files/durable-file.js';
import { variable, type Environment } from '../options/environment.js';
import { givenSnapshot, isGivenSnapshot } from '../snapshot/given-snapshot.js';
import { messageOf, quoted } from '../base/text/describe.js';
import { CommandError, WrongArgument, type CommandRuntime, type OptionValues } from './command.js';
import { noFlags, readService, urlOfSocket } from './features-source.js';
import { fliptSnapshot } from './flipt-snapshot.js';

/**
 * The permissions of a new snapshot file. All users can read the file, because a container often runs as another user
 * than the one that built its image.
 */
const READABLE_FOR_ALL = 0o644;

/** Fetches a snapshot from Flipt, writes the snapshot into a file, and resolves with the exit code. */
export async function writeSnapshot(values: OptionValues, runtime: CommandRuntime): Promise<number> {
  const { env, clock } = runtime;
  const { source, out } = readSnapshot(values, env);
  const { namespace } = source;
  const { snapshot, environment } = await fliptSnapshot(source, 'snapshot', runtime);
  const count = snapshot.flags.keys().size;
  // For the command `snapshot`, an empty snapshot is an error, because Flipt v1 gives an empty snapshot for a namespace
  // that does not exist.
  if (count === 0) throw noFlags(namespace);
  for (const [key, { reason }] of snapshot.flags.whole().unreadable) {
    runtime.complain(
      `Flag ${quoted(key)} gives defaults while Flipt is down, because it cannot be read (${reason})`,
    );
  }
  const given = givenSnapshot(snapshot, clock.now(), { namespace, environment }, clock);
  await replace(out, `${JSON.stringify(given)}\n`);
  runtime.print(`Wrote ${out}: ${count} ${count === 1 ? 'flag' : 'flags'}`);
  return 0;
}

async function replace(out: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(out), { recursive: true });
    const target = await targetOf(out);
    const check = async () => void (await replaceableBeginning(target, isGivenSnapshot));
    await replaceFile(target, text, check, { ofNew: READABLE_FOR_ALL });
  } catch (error) {
    throw new CommandError(`${out}: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads the options of `snapshot`. Throws a {@link WrongArgument} if an option is wrong. */
export function readSnapshot(values: OptionValues, env: Environment) {
  const { url = variable(env, 'FLIPT_URL') ?? urlOfSocket(values), out } = values;
  // The command `snapshot` has no default for the address of Flipt, because a build that used localhost by accident
  // would write the flags of the wrong Flipt.
  if (!url)
    throw new WrongArgument('--url: missing; expected the address of Flipt, or FLIPT_URL, or --socket');
  if (!out) throw new WrongArgument('--out: missing; expected a file');
  return { out, source: readService(url, values, env) };
}
