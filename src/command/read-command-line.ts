import { parseArgs, type ParseArgsConfig } from 'node:util';
import { didYouMean } from '../base/text/closest-name.js';
import { CREDENTIAL_VARIABLES } from '../options/environment.js';
import { alternatives, messageOf, unsteered } from '../base/text/describe.js';
import { FLIPT_READERS, OPTIONS, type OptionValues } from './command.js';
import { COMMANDS, type CommandName } from './help.js';

export type CommandLine =
  | { readonly kind: 'help'; readonly of?: CommandName }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'command';
      readonly command: CommandName;
      readonly values: OptionValues;
      /**
       * The arguments after the command's name that belong to no option. For `lint`, arguments that belong to no option
       * are further features files; every other command refuses such arguments.
       */
      readonly files: readonly string[];
    }
  | { readonly kind: 'wrong'; readonly message: string; readonly of?: CommandName | undefined };

/** Reads the command line. `argv` has the arguments of the process without the paths of Node and of the program. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  try {
    // Options can stand before the command's name, so the parser must know the options of all commands to find this
    // name.
    const read = { args: [...argv], options: OPTIONS, allowPositionals: true, tokens: true } as const;
    const { values, positionals, tokens } = parseArgs(read);
    const given = tokens.flatMap((token) => (token.kind === 'option' ? token.name : []));
    const [name, ...files] = positionals;
    const [extra] = files;
    const command = COMMANDS.find((one) => one === name);
    if (values.help) return command === undefined ? { kind: 'help' } : { kind: 'help', of: command };
    if (values.version) return { kind: 'version' };
    if (command === undefined) return wrong(unknownCommand(name));
    const foreign = Object.keys(values).find((option) => !optionsOf(command).includes(option));
    if (foreign !== undefined) return wrong(unknownOption(`--${foreign}`, command), command);
    const twice = given.find((option, at) => isSingle(option) && given.includes(option, at + 1));
    if (twice !== undefined) return wrong(`--${twice} is given twice${moreFiles(twice, command)}`, command);
    if (extra !== undefined && command !== 'lint') return wrong(unexpectedArgument(extra, command), command);
    return { kind: 'command', command, values, files };
  } catch (error) {
    const command = COMMANDS.find((one) => argv.includes(one));
    // Only the first sentence of Node's message is shown, because the rest is advice that does not apply to this
    // command.
    const [message = ''] = messageOf(error).split(/\.\s/, 1);
    const unknown = /^Unknown option '(--?[^'=]+)/.exec(message)?.[1];
    return wrong(unknown === undefined ? message : unknownOption(unknown, command), command);
  }
}

function unknownCommand(name = 'none'): string {
  return `expected the command ${alternatives(COMMANDS)}, got ${name}${didYouMean(name, COMMANDS)}`;
}

/**
 * Returns advice for a user who gives an option twice to name several files. `lint` takes further files as arguments
 * without an option.
 */
function moreFiles(option: string, command: CommandName): string {
  return option === 'features' && command === 'lint' ? '; write lint a.yml b.yml for several files' : '';
}

/**
 * Returns the message about an argument that belongs to no option. If `serve` gets an argument that belongs to no
 * option, the argument is most likely the features file.
 */
function unexpectedArgument(argument: string, command: CommandName): string {
  const hint = command === 'serve' ? `; did you mean --features ${argument}?` : '';
  return `unexpected argument ${argument}${hint}`;
}

const CREDENTIAL_OPTION = /^-H$|token|jwt|auth|bearer|password|secret|credential|api-?key/i;

function unknownOption(option: string, command: CommandName | undefined): string {
  if (command !== undefined && FLIPT_READERS.includes(command) && CREDENTIAL_OPTION.test(option)) {
    const where = `from the environment only (${CREDENTIAL_VARIABLES})`;
    return `${option}: credentials come ${where}, because everybody on the machine can read the arguments of a process`;
  }
  const names = optionsOf(command).map((name) => `--${name}`);
  return `Unknown option '${option}'${didYouMean(option, names)}`;
}

function wrong(message: string, of?: CommandName): CommandLine {
  return { kind: 'wrong', message: unsteered(message), of };
}

type Option = NonNullable<ParseArgsConfig['options']>[string] & { readonly of: readonly CommandName[] };
const BY_NAME: Readonly<Record<string, Option>> = OPTIONS;

/** Returns the names of a command's options, or the names of all options if the command is unknown. */
function optionsOf(command: CommandName | undefined): readonly string[] {
  return Object.keys(BY_NAME).filter((name) => command === undefined || BY_NAME[name]?.of.includes(command));
}

/**
 * Returns whether the option takes only one value. Node's parser would let a second value silently replace the first
 * one.
 */
function isSingle(name: string): boolean {
  return BY_NAME[name]?.type === 'string' && !BY_NAME[name].multiple;
}
