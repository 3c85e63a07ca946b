import type { Finding, Level, LintSettings } from '../features/lint/finding.js';
import { findingText, lint, type Linted } from '../features/lint/lint.js';
import { isAbove, maxLevelOf, ruleSetting, settingsFor } from './lint-settings.js';
import { FeaturesError } from '../features/features-error.js';
import { LINTED_VERSIONS, type LintedVersion } from '../features/format-versions.js';
import { DEFAULT_SEMANTICS } from '../engine/version-differences.js';
import { messageOf } from '../base/text/describe.js';
import { WrongArgument, type CommandRuntime, type OptionValues } from './command.js';
import { printableJson } from './printable-json.js';

/** Prints what the linter finds in all files, and resolves with the exit code. */
export async function printFindings(
  values: OptionValues,
  { print, complain }: CommandRuntime,
  more: readonly string[],
): Promise<number> {
  const files = [...(values.features === undefined ? [] : [values.features]), ...more];
  if (files.length === 0 || files.includes(''))
    throw new WrongArgument('--features: missing; expected a file');
  const write = formatOf(values);
  const asked = { versions: versionsOf(values), given: givenSettings(values) };
  const linted: LintedFile[] = [];
  const unread: FeaturesError[] = [];
  for (const file of files) {
    try {
      linted.push(await lintedFile(file, asked));
    } catch (error) {
      if (!(error instanceof FeaturesError)) throw error;
      if (write === FORMATS.github) printMistakes(file, error, print);
      unread.push(error);
    }
  }
  const findings = linted.flatMap((each) => each.findings);
  if (linted.length > 0) write(findings, print);
  if (linted.some(({ isPartial }) => isPartial)) complain(MORE_MAY_FOLLOW);
  if (linted.some(({ isAssumed }) => isAssumed)) complain(ASSUMED);
  if (unread.length > 0) throw new FeaturesError(unread.map(({ message }) => message).join('\n'));
  return linted.some(({ isFailed }) => isFailed) ? 1 : 0;
}

interface LintedFile extends Linted {
  /** Whether a finding in the file has a higher level than the highest allowed level. */
  readonly isFailed: boolean;
  /** Whether neither the arguments nor the settings say which version of Flipt will read the file. */
  readonly isAssumed: boolean;
}

/** The arguments that apply to all files. */
interface Asked {
  readonly versions: ReturnType<typeof versionsOf>;
  readonly given: ReturnType<typeof givenSettings>;
}

async function lintedFile(file: string, { versions, given }: Asked): Promise<LintedFile> {
  const set = await settingsFor(file);
  const rules = new Map([...set.rules, ...given.rules]);
  const { version = set.semantics, ...upgrade } = versions;
  const linted = await lint({ path: file }, version ?? DEFAULT_SEMANTICS, { ...set, ...upgrade, rules });
  const maxLevel = given.maxLevel ?? set.maxLevel;
  const isFailed = linted.findings.some(({ level }) => isAbove(level, maxLevel));
  return { ...linted, isFailed, isAssumed: version === undefined };
}

const ASSUMED = `Checked for Flipt ${DEFAULT_SEMANTICS}; write --semantics v2 for Flipt v2.`;

const MORE_MAY_FOLLOW =
  'Correct what is refused and unreadable first: lint cannot read everything around it, so more findings may follow.';

/**
 * Returns the version of Flipt that will read the file, if the arguments name the version. If the arguments describe an
 * upgrade of Flipt, the result also has the version that reads the file now.
 */
function versionsOf({ semantics, from, to }: OptionValues): {
  readonly version?: LintedVersion;
  readonly from?: LintedVersion;
} {
  if (from === undefined && to === undefined)
    return semantics === undefined ? {} : { version: versionOf(semantics) };
  if (semantics !== undefined) throw new WrongArgument('--semantics: has no effect with --from and --to');
  if (from === undefined || to === undefined)
    throw new WrongArgument('--from and --to: expected both, or none of them');
  const [older, newer] = [versionOf(from, '--from'), versionOf(to, '--to')];
  if (LINTED_VERSIONS.indexOf(older) < LINTED_VERSIONS.indexOf(newer)) return { version: newer, from: older };
  throw new WrongArgument(`--from: expected an older version than --to, got ${older} and ${newer}`);
}

function versionOf(given: string, option = '--semantics'): LintedVersion {
  const known = LINTED_VERSIONS.find((version) => version === given);
  if (known !== undefined) return known;
  throw new WrongArgument(`${option}: expected ${LINTED_VERSIONS.join(', ')}, got ${given}`);
}

type Write = (findings: readonly Finding[], print: (line: string) => void) => void;

const FORMATS: Readonly<Record<string, Write>> = {
  text: (findings, print) => {
    for (const finding of findings) print(findingText(finding));
  },
  json: (findings, print) => {
    print(printableJson({ findings }));
  },
  github: (findings, print) => {
    for (const finding of findings) print(annotationOf(finding));
  },
};

function formatOf({ format, json = false }: OptionValues): Write {
  if (json && format !== undefined) throw new WrongArgument('--json and --format: expected only one of them');
  const name = format ?? (json ? 'json' : 'text');
  const write = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (write !== undefined) return write;
  throw new WrongArgument(`--format: expected ${Object.keys(FORMATS).join(', ')}, got ${name}`);
}

/** Returns the settings that the command-line arguments give. Arguments override the settings in a settings file. */
function givenSettings(values: OptionValues): Pick<LintSettings, 'rules'> & Partial<LintSettings> {
  const { rule = [], 'max-level': maxLevel } = values;
  const rules = new Map(rule.map((text) => named('--rule', () => ruleSetting(text))));
  return {
    rules,
    ...(maxLevel !== undefined && { maxLevel: named('--max-level', () => maxLevelOf(maxLevel)) }),
  };
}

function named<Result>(option: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new WrongArgument(`${option}: ${messageOf(error)}`);
  }
}

/** Prints a GitHub annotation for each mistake that makes the file unreadable and whose line is known. */
function printMistakes(file: string, { message }: FeaturesError, print: (line: string) => void): void {
  for (const mistake of message.split('\n')) {
    const found = /^(.*) at line (\d+), column (\d+)$/.exec(mistake);
    if (found === null) continue;
    const [, words = '', line = '', column = ''] = found;
    const said = words.startsWith(`${file}: `) ? words.slice(file.length + 2) : words;
    print(annotation('error', { file, line, col: column, title: 'unreadable' }, said));
  }
}

const COMMANDS: Readonly<Record<Level, string>> = { error: 'error', warning: 'warning', info: 'notice' };

function annotationOf(finding: Finding): string {
  const { file, line, column, level, rule } = finding;
  const words = findingText(finding).replace(`${file}:${line}:${column}: ${level}: ${rule}: `, '');
  return annotation(COMMANDS[level], { file, line, col: column, title: rule }, words);
}

/**
 * Returns an annotation, which is a line for the output of a GitHub workflow. GitHub shows the annotation in a pull
 * request, at the line of the file that the annotation names.
 */
function annotation(
  command: string,
  properties: Readonly<Record<'file' | 'line' | 'col' | 'title', string | number>>,
  words: string,
): string {
  const place = Object.entries(properties).map(([name, value]) => `${name}=${inProperty(String(value))}`);
  return `::${command} ${place.join(',')}::${inMessage(words)}`;
}

function inMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function inProperty(text: string): string {
  return inMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
