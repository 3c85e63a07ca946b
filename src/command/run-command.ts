import { FeaturesError } from '../features/features-error.js';
import { unsteered, unsteeredLines } from '../base/text/describe.js';
import { CommandError, WrongArgument, type CommandRuntime } from './command.js';
import { HELP, HELPS, type CommandName } from './help.js';
import { readCommandLine } from './read-command-line.js';

const NAME = 'openfeature-flipt-provider';

/**
 * Runs the command, and resolves with its exit code. In everything that the command prints, characters that would
 * control a terminal are escaped, because texts come from files and from Flipt.
 */
export async function runCommand({ print: out, complain: err, ...given }: CommandRuntime): Promise<number> {
  const unsteering = (write: (line: string) => void) => (lines: string) => {
    write(unsteeredLines(lines));
  };
  const runtime = { ...given, print: unsteering(out), complain: unsteering(err) };
  const { argv, version, print, complain } = runtime;
  const failed = (message: string, command: CommandName | undefined): number => {
    complain(`${NAME}: ${message}`);
    // For `lint`, the exit code of an error is 2, because the exit code 1 means that there are findings.
    return command === 'lint' ? 2 : 1;
  };
  const line = readCommandLine(argv);
  if (line.kind === 'wrong') return failed(line.message + HINT, line.of);
  if (line.kind !== 'command') {
    print(line.kind === 'version' ? version : (line.of === undefined ? HELP : HELPS[line.of]).trimEnd());
    return 0;
  }
  const { command, values, files } = line;
  try {
    const run = await RUNS[command]();
    return await run(values, runtime, files);
  } catch (error) {
    if (error instanceof WrongArgument) return failed(unsteered(error.message) + HINT, command);
    if (error instanceof CommandError || error instanceof FeaturesError)
      return failed(error.message, command);
    throw error;
  }
}

const HINT = ' (--help lists the options)';

/** The functions that run the commands. The code of each command is loaded only when that command runs. */
const RUNS = {
  serve: async () => (await import('./serve/serve.js')).serve,
  explain: async () => (await import('./explain-flag.js')).explainFlag,
  types: async () => (await import('./types/write-types.js')).writeTypes,
  lint: async () => (await import('./print-findings.js')).printFindings,
  snapshot: async () => (await import('./write-snapshot.js')).writeSnapshot,
};
