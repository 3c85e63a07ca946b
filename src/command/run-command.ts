import { FeaturesError } from '../features/features-error.js';
import { unsteeredLines } from '../text/describe.js';
import { readCommandLine } from './read-command-line.js';
import { HELP, HELPS } from './help.js';
import { serve } from './serve/serve.js';
import type { CommandRuntime } from './command-runtime.js';
import { CommandError } from './command-error.js';

const NAME = 'openfeature-flipt-provider';

/** Runs the command; resolves with its exit code. Nothing that it prints steers a terminal, whatever a file or Flipt says. */
export async function runCommand({ print: out, complain: err, ...given }: CommandRuntime): Promise<number> {
  const print = (lines: string) => {
    out(unsteeredLines(lines));
  };
  const complain = (lines: string) => {
    err(unsteeredLines(lines));
  };
  const runtime: CommandRuntime = { ...given, print, complain };
  const { argv, env, version } = runtime;
  const line = readCommandLine(argv, env);
  try {
    switch (line.kind) {
      case 'help':
        print((line.of === undefined ? HELP : HELPS[line.of]).trimEnd());
        return 0;
      case 'version':
        print(version);
        return 0;
      case 'wrong':
        complain(`${NAME}: ${line.message} (--help says more)`);
        return failureCode(line.of);
      case 'serve':
        return await serve(line.serve, runtime);
      case 'explain':
        return await (await import('./explain/explain-flag.js')).explainFlag(line.explain, runtime);
      case 'types':
        return await (await import('./types/write-types.js')).writeTypes(line.types, runtime);
      case 'lint':
        return await (await import('./lint/print-findings.js')).printFindings(line.lint, runtime);
      case 'snapshot':
        return await (await import('./snapshot/write-snapshot.js')).writeSnapshot(line.snapshot, runtime);
    }
  } catch (error) {
    if (!(error instanceof CommandError) && !(error instanceof FeaturesError)) throw error;
    complain(`${NAME}: ${error.message}`);
    return failureCode(line.kind);
  }
}

/** A linter's 1 means findings. */
function failureCode(command: string | undefined): number {
  return command === 'lint' ? 2 : 1;
}
