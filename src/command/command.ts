import type { parseArgs } from 'node:util';
import type { Clock } from '../base/time/clock.js';
import type { Environment } from '../options/environment.js';
import { COMMANDS, type CommandName } from './help.js';

const FILE_READERS: readonly CommandName[] = ['serve', 'explain', 'types', 'lint'];
/**
 * The commands that can read from a running Flipt. These commands get their credentials for Flipt from environment
 * variables.
 */
export const FLIPT_READERS: readonly CommandName[] = ['explain', 'types', 'snapshot'];

/**
 * All options, in the form that Node's `parseArgs` expects. The member `of` of an option lists the commands that have
 * the option.
 */
export const OPTIONS = {
  features: { type: 'string', of: FILE_READERS },
  semantics: { type: 'string', of: FILE_READERS },
  strict: { type: 'boolean', of: ['serve'] },
  port: { type: 'string', of: ['serve'] },
  host: { type: 'string', of: ['serve'] },
  'allow-host': { type: 'string', multiple: true, of: ['serve'] },
  data: { type: 'string', of: ['serve'] },
  auth: { type: 'string', of: ['serve'] },
  'bootstrap-token': { type: 'string', of: ['serve'] },
  url: { type: 'string', of: FLIPT_READERS },
  namespace: { type: 'string', of: FLIPT_READERS },
  environment: { type: 'string', of: FLIPT_READERS },
  proxy: { type: 'string', of: FLIPT_READERS },
  'no-proxy': { type: 'boolean', of: FLIPT_READERS },
  ca: { type: 'string', of: FLIPT_READERS },
  cert: { type: 'string', of: FLIPT_READERS },
  key: { type: 'string', of: FLIPT_READERS },
  servername: { type: 'string', of: FLIPT_READERS },
  header: { type: 'string', multiple: true, of: FLIPT_READERS },
  socket: { type: 'string', of: FLIPT_READERS },
  flag: { type: 'string', of: ['explain'] },
  entity: { type: 'string', of: ['explain'] },
  context: { type: 'string', multiple: true, of: ['explain'] },
  out: { type: 'string', of: ['types', 'snapshot'] },
  augment: { type: 'string', of: ['types'] },
  check: { type: 'boolean', of: ['types'] },
  json: { type: 'boolean', of: ['explain', 'lint'] },
  from: { type: 'string', of: ['lint'] },
  to: { type: 'string', of: ['lint'] },
  format: { type: 'string', of: ['lint'] },
  rule: { type: 'string', multiple: true, of: ['lint'] },
  'max-level': { type: 'string', of: ['lint'] },
  help: { type: 'boolean', short: 'h', of: COMMANDS },
  version: { type: 'boolean', of: COMMANDS },
} as const;

/** The values that the arguments give to the options. The value of an option that is not given is `undefined`. */
export type OptionValues = ReturnType<typeof parseArgs<{ readonly options: typeof OPTIONS }>>['values'];

/**
 * The parts of the process that the command uses. The command gets these parts as an argument, so that tests can
 * replace them.
 */
export interface CommandRuntime {
  /** The arguments of the process that come after the program's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly version: string;
  /** Prints one or more lines to the standard output. */
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  /** When this signal is aborted, the running service, or the request to Flipt, ends, and with it the command. */
  readonly end: AbortSignal;
  readonly clock: Clock;
}

/**
 * The command throws this error if it cannot use an argument. The message names the argument, and says what is wrong.
 */
export class WrongArgument extends Error {
  override readonly name = 'WrongArgument';
}

/** The command throws this error if it could not do its work. The message says what went wrong. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
