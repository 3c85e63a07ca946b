import type { Clock } from '../time/clock.js';
import type { Environment } from '../options/environment.js';

/** The parts of the process that the command uses. */
export interface CommandRuntime {
  /** The arguments behind the command's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly version: string;
  /** Each prints one line. */
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  /** Ends the command when aborted. */
  readonly end: AbortSignal;
  readonly clock: Clock;
}

/** An argument of the command that cannot be used. Its message names the argument and what was expected. */
export class WrongArgument extends Error {
  override readonly name = 'WrongArgument';
}

/** The command could not do its work. The message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
