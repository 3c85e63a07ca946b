import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { unsteered, unsteeredLines } from '../base/text/describe.js';
import { ALL_SEMANTICS, DEFAULT_SEMANTICS } from '../engine/version-differences.js';
import { FeaturesError } from '../features/problem.js';
import { VERSIONS } from '../features/flipt-refuses.js';
import { attribute, explainFlag, EXPLAIN_HELP, type ExplainOptions } from './explain.js';
import { FORMATS, LINT_HELP, lintFiles, ruleSetting, type LintOptions } from './lint.js';
import { CommandError, type CommandRuntime } from './runtime.js';
import { portOf, serve, SERVE_HELP, type ServeOptions } from './serve.js';
import { SNAPSHOT_HELP, writeSnapshot, type SnapshotCommandOptions } from './snapshot.js';
import { SOURCE, withService, withSource } from './source.js';
import { codeFile, TYPES_HELP, writeTypes, type TypesOptions } from './types.js';

/** Resolves with the exit code. Whatever is printed controls no terminal: texts come from files and from Flipt. */
export async function runCommand({ print, complain, ...given }: CommandRuntime): Promise<number> {
  const runtime: CommandRuntime = {
    ...given,
    print: (lines) => {
      print(unsteeredLines(lines));
    },
    complain: (lines) => {
      complain(unsteeredLines(lines));
    },
  };
  // With lint, 1 means that there are findings.
  const failed = runtime.argv[0] === 'lint' ? 2 : 1;
  let exitCode = 0;
  const ended = (code: number) => {
    exitCode = code;
  };
  try {
    await programOf(runtime, ended).parseAsync(runtime.argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : failed;
    if (!(error instanceof CommandError || error instanceof FeaturesError)) throw error;
    runtime.complain(`error: ${error.message}`);
    return failed;
  }
}

function programOf(runtime: CommandRuntime, ended: (code: number) => void): Command {
  const program = new Command('openfeature-flipt-provider')
    .usage('COMMAND [options]')
    .version(runtime.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        runtime.print(text.trimEnd());
      },
      writeErr: (text) => {
        runtime.complain(text.trimEnd());
      },
      outputError: (text, write) => {
        write(argumentError(text));
      },
    })
    .showHelpAfterError('(--help lists the options)');
  program
    .command('serve')
    .usage('(--features <file> | --data <file>) [options]')
    .summary('serve feature flags over HTTP as Flipt does, from a features file')
    .description(
      'Serves feature flags over HTTP as Flipt does, from a features file: for development, tests and demonstrations. ' +
        'In production, use Flipt itself.',
    )
    .option(
      '--features <file>',
      'a features file in Flipt’s import and export format; it is loaded again when you edit it',
      filled,
    )
    .option('--port <port>', 'the port to listen on; 0 means any free one', portOf, 8080)
    .option('--host <address>', 'the address to listen on', filled, '127.0.0.1')
    .option(
      '--allow-host <name>',
      'another name of this service, such as a container’s; repeatable',
      each(filled),
    )
    .addOption(
      new Option(
        '--semantics <version>',
        'the rules of Flipt v1, of 2.0 to 2.8, or of 2.9 and newer; v2 has no v1 operations',
      )
        .choices(ALL_SEMANTICS)
        .default(DEFAULT_SEMANTICS),
    )
    .option('--strict', 'refuse what this version of Flipt would refuse, instead of a warning')
    .option('--data <file>', 'keep all changes in this file, and start from it if it exists', filled)
    .option(
      '--bootstrap-token <token>',
      'answer only requests with a token, of which this is the first (default: FLIPT_BOOTSTRAP_TOKEN, which nobody sees in the list of processes)',
      filled,
    )
    .addHelpText('after', SERVE_HELP)
    .action(async (options: ServeOptions) => {
      ended(await serve(options, runtime));
    });

  const explain = program
    .command('explain')
    .usage(`--flag <key> ${SOURCE} [options]`)
    .summary('say why a flag has its value for a user')
    .description(
      'Says why a flag has its value: shows each rule or rollout in order, what it compared, and which decided.',
    )
    .requiredOption('--flag <key>', 'the key of the flag', filled)
    .option('--entity <id>', 'the user, as in the targetingKey of a context')
    .option('--context <name=value>', 'an attribute of the context; repeatable', attribute);
  withSource(explain)
    .option('--json', 'print the explanation as JSON')
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (options: ExplainOptions) => {
      ended(await explainFlag(options, runtime));
    });

  const types = program
    .command('types')
    .usage(`--out <file.ts> ${SOURCE} [options]`)
    .summary('write the types of the flags, so that a misspelt key does not compile')
    .description(
      'Writes the types of a namespace’s flags: a table of flags, the list of their keys, and typed(client).',
    )
    .requiredOption(
      '--out <file.ts>',
      'the file to write; a file that something else wrote is not overwritten',
      codeFile,
    );
  withSource(types)
    .option('--check', 'write nothing, and fail if the file is out of date')
    .addHelpText('after', TYPES_HELP)
    .action(async (options: TypesOptions) => {
      ended(await writeTypes(options, runtime));
    });

  const version = (flags: string, description: string) =>
    new Option(flags, description).choices([...VERSIONS, 'v2']);
  program
    .command('lint')
    .summary('find what Flipt will refuse in a features file, and what is probably a mistake')
    .description(
      'Says what Flipt will refuse in features files, and what it takes although it is probably a mistake. A finding ' +
        'has its place, level and rule, what will happen, and what to write instead.',
    )
    .argument('<file...>', 'features files in Flipt’s import and export format')
    .addOption(
      version(
        '--semantics <version>',
        'which Flipt will read the file: v1 (its import), v1-files (its file storage), v2.8 (2.0 to 2.8), … v2.11 (and newer)',
      ).conflicts(['from', 'to']),
    )
    .addOption(version('--from <version>', 'show only what an upgrade changes, from this version of Flipt …'))
    .addOption(version('--to <version>', '… to this one'))
    .option(
      '--rule <name=level>',
      'the level of a rule: off, info, warning or error; repeatable',
      each(ruleSetting),
    )
    .option('--strict', 'fail for warnings, too')
    .addOption(
      new Option('--format <format>', 'github: annotations of a pull request')
        .choices(FORMATS)
        .default('text'),
    )
    .addHelpText('after', LINT_HELP)
    .action(async (files: readonly string[], options: LintOptions) => {
      ended(await lintFiles(files, options, runtime));
    });

  withService(program.command('snapshot'))
    .usage('--url <url> --out <file.json> [options]')
    .summary('write a namespace’s flags into a file, from which a provider starts without Flipt')
    .description(
      'Writes the flags of a namespace, and its segments, into a file, for an image or a bundle. With the file’s ' +
        'content as snapshot.initial, a provider starts while Flipt is down.',
    )
    .requiredOption(
      '--out <file.json>',
      'the file to write; a file that something else wrote is not overwritten',
      filled,
    )
    .addHelpText('after', SNAPSHOT_HELP)
    .action(async (options: SnapshotCommandOptions) => {
      ended(await writeSnapshot(options, runtime));
    });
  return program;
}

/** The value of an unknown option, such as --token=…, may be a secret, and no argument begins a line. */
function argumentError(text: string): string {
  const message = text.trimEnd().replace(/(unknown option '[^'=]+)=[^]*'/, "$1'");
  const [words = '', ...hint] = message.split(/(?=\n\(Did you mean .*\)$)/);
  const isFile = /too many arguments for '(?:serve|explain|types)'/.test(message);
  return unsteered(words) + hint.join('') + (isFile ? ' Name a features file with --features.' : '');
}

function filled(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('Expected a value.');
}

function each<Value>(
  read: (text: string) => Value,
): (text: string, before?: readonly Value[]) => readonly Value[] {
  return (text, before = []) => [...before, read(text)];
}
