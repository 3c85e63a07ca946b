import type { Clock } from '../base/time/clock.js';
import type { Environment } from '../options/connection-options.js';

/** What the command uses of its process. */
export interface CommandRuntime {
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly version: string;
  readonly print: (lines: string) => void;
  readonly complain: (lines: string) => void;
  /** Resolves when the user ends the command. Only then is a signal left to the command, so only `serve` asks. */
  readonly interrupted: () => Promise<unknown>;
  readonly clock: Clock;
}

/** The command could not do its work, for the reason that the message tells the user. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
