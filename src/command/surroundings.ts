import type { Clock } from '../clock.js';
import type { Environment } from '../options/environment.js';

/** The process that the command runs in, as far as it uses it. */
export interface Surroundings {
  /** The arguments behind the command's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly version: string;
  /** Each prints one line. */
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  /** Ends the command when it is aborted. */
  readonly end: AbortSignal;
  readonly clock?: Clock;
}
