import { variable, type Environment } from '../../options/environment.js';
import type { OptionValues } from '../command-options.js';
import { readService } from '../features-source/file-or-flipt.js';
import { WrongArgument } from '../command-error.js';

export type SnapshotArguments = ReturnType<typeof readSnapshot>;

/** Throws a {@link WrongArgument}. */
export function readSnapshot(values: OptionValues, env: Environment) {
  const { url = variable(env, 'FLIPT_URL'), out } = values;
  // Not localhost: a build there would write the flags of something else.
  if (!url) throw new WrongArgument('--url: missing; expected the address of Flipt, or FLIPT_URL');
  if (!out) throw new WrongArgument('--out: missing; expected a file');
  return { out, source: readService(url, values, env) };
}
