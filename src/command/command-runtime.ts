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
  readonly clock?: Clock;
}
