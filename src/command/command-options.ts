import type { parseArgs } from 'node:util';
import { COMMANDS, type CommandName } from './help.js';

const FILE_READERS: readonly CommandName[] = ['serve', 'explain', 'types', 'lint'];
/** Their credentials come from the environment. */
export const FLIPT_READERS: readonly CommandName[] = ['explain', 'types', 'snapshot'];
const SERVE: readonly CommandName[] = ['serve'];
const EXPLAIN: readonly CommandName[] = ['explain'];
const TYPES: readonly CommandName[] = ['types'];

/** All options, as `parseArgs` takes them; `of` names the commands that have them. */
export const OPTIONS = {
  features: { type: 'string', of: FILE_READERS },
  semantics: { type: 'string', of: FILE_READERS },
  port: { type: 'string', of: SERVE },
  host: { type: 'string', of: SERVE },
  'allow-host': { type: 'string', multiple: true, of: SERVE },
  data: { type: 'string', of: SERVE },
  auth: { type: 'string', of: SERVE },
  'bootstrap-token': { type: 'string', of: SERVE },
  url: { type: 'string', of: FLIPT_READERS },
  namespace: { type: 'string', of: FLIPT_READERS },
  environment: { type: 'string', of: FLIPT_READERS },
  flag: { type: 'string', of: EXPLAIN },
  entity: { type: 'string', of: EXPLAIN },
  context: { type: 'string', multiple: true, of: EXPLAIN },
  out: { type: 'string', of: ['types', 'snapshot'] },
  augment: { type: 'string', of: TYPES },
  check: { type: 'boolean', of: TYPES },
  json: { type: 'boolean', of: ['explain', 'lint'] },
  help: { type: 'boolean', short: 'h', of: COMMANDS },
  version: { type: 'boolean', of: COMMANDS },
} as const;

/** What the arguments give to the options; `undefined` for an option that is not given. */
export type OptionValues = ReturnType<typeof parseArgs<{ readonly options: typeof OPTIONS }>>['values'];

/** The names of a command's options; of all, without a command. */
export function optionsOf(command: CommandName | undefined): readonly string[] {
  const all: readonly (readonly [string, { readonly of: readonly CommandName[] }])[] =
    Object.entries(OPTIONS);
  return all.flatMap(([name, { of }]) => (command === undefined || of.includes(command) ? name : []));
}

/** Whether the option has one value, so that a second one would take the place of the first. */
export function isSingle(name: string): boolean {
  return Object.entries(OPTIONS).some(
    ([option, its]) => option === name && its.type === 'string' && !('multiple' in its),
  );
}
