import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../base/text/closest-name.js';
import { alternatives, quoted } from '../base/text/describe.js';
import { DEFAULT_SEMANTICS } from '../engine/version-differences.js';
import { VERSIONS, type Version } from '../features/flipt-refuses.js';
import { lint, RULE_NAMES } from '../features/lint/lint.js';
import { FeaturesError, findingText, problemText, type Finding, type Level } from '../features/problem.js';
import { readUnlinkedText } from '../features/read-features.js';
import { printableJson } from './printable-json.js';
import { CommandError, type CommandRuntime } from './runtime.js';

export const FORMATS = ['text', 'json', 'github'] as const;

type RuleSetting = Level | 'off';

/** `v2` is the newest, as in the other commands. */
type NamedVersion = Version | 'v2';

export interface LintOptions {
  readonly semantics?: NamedVersion;
  readonly from?: NamedVersion;
  readonly to?: NamedVersion;
  readonly rule?: readonly (readonly [string, RuleSetting])[];
  readonly strict?: boolean;
  readonly format: (typeof FORMATS)[number];
}

/** Prints what the linter finds; 1 means that there are errors, or with `--strict` warnings. */
export async function lintFiles(
  files: readonly string[],
  options: LintOptions,
  { print, complain }: CommandRuntime,
): Promise<number> {
  const { semantics, from, to = semantics ?? DEFAULT_SEMANTICS, rule = [], format, strict } = options;
  checkUpgrade(options);
  const rules = new Map(rule);
  const settings = { version: versionOf(to), rules, ...(from !== undefined && { from: versionOf(from) }) };
  const findings: Finding[] = [];
  let isUnread = false;
  for (const file of files) {
    try {
      findings.push(...lint(await readUnlinkedText(file), settings));
    } catch (error) {
      if (!(error instanceof FeaturesError)) throw error;
      isUnread = true;
      complain(`error: ${error.message}`);
    }
  }
  if (format === 'json') print(printableJson({ findings }));
  else
    for (const finding of findings) print(format === 'github' ? annotationOf(finding) : findingText(finding));
  if (findings.some(({ level }) => level === 'error'))
    complain('Correct the errors first: more findings may follow.');
  if (semantics === undefined && from === undefined)
    complain(`Checked for Flipt ${DEFAULT_SEMANTICS}; write --semantics v2 for Flipt v2.`);
  if (isUnread) return 2;
  return findings.some(({ level }) => level === 'error' || (strict && level === 'warning')) ? 1 : 0;
}

function versionOf(named: NamedVersion): Version {
  return named === 'v2' ? 'v2.11' : named;
}

function checkUpgrade({ from, to }: LintOptions): void {
  if ((from === undefined) !== (to === undefined)) throw new CommandError('expected both --from and --to');
  if (from === undefined || to === undefined) return;
  if (VERSIONS.indexOf(versionOf(from)) < VERSIONS.indexOf(versionOf(to))) return;
  throw new CommandError(`--from: expected an older version than --to, got ${from} and ${to}`);
}

const RULE_SETTINGS: readonly RuleSetting[] = ['off', 'info', 'warning', 'error'];

export function ruleSetting(text: string): readonly [string, RuleSetting] {
  const [name = '', given] = text.split('=', 2);
  const setting = RULE_SETTINGS.find((one) => one === given);
  if (!RULE_NAMES.includes(name)) {
    const hint = didYouMean(name, RULE_NAMES) || `; expected ${alternatives(RULE_NAMES)}`;
    throw new InvalidArgumentError(`There is no rule ${quoted(name)}${hint}`);
  }
  if (setting !== undefined) return [name, setting];
  throw new InvalidArgumentError(`Expected NAME=LEVEL with ${alternatives(RULE_SETTINGS)}.`);
}

const COMMANDS: Readonly<Record<Level, string>> = { error: 'error', warning: 'warning', info: 'notice' };

/** GitHub shows such a line of a workflow's output in the pull request, at the file's line. */
function annotationOf(finding: Finding): string {
  const { file, line = 1, column = 1, level, rule } = finding;
  const place = Object.entries({ file, line, col: column, title: rule });
  const properties = place.map(([name, value]) => `${name}=${inProperty(String(value))}`);
  return `::${COMMANDS[level]} ${properties.join(',')}::${inMessage(problemText(finding))}`;
}

function inMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function inProperty(text: string): string {
  return inMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

export const LINT_HELP = `
Rules
  yaml                   Error: the file is no YAML, or YAML that Flipt does not read.
  invalid                Error: Flipt, or the embedded service, cannot read a part of the file.
  refused                Error: this Flipt refuses the file. Flipt v2 then serves no flag of the environment.
  ignored                Error: Flipt takes it, but not as it was probably meant, such as a misspelt member.
  operator-type          Error: the type of a constraint does not have its operator.
  unreadable-value       Error: the value of a constraint is no number, date or list, so that it matches nobody.
  segment-left-out       Error: because of such a value, Flipt 2.11 leaves a segment out of all rules and rollouts.
  evaluated-differently  With --from and --to: the upgrade changes the shares or the place of a rule.
  large-integer          An integer of an attachment, or the key of a variant, is beyond 2^53.
  text-attachment        An attachment is a text instead of a mapping or a list.
  missing-type           A flag has no type and no variants, so it is a variant flag without a value.
  rollout-sum            The percentages of a rule do not add up to 100.
  small-percentage       A threshold is between 0 and 1 %, and is probably meant as a share of 1.
  boolean-variants       A boolean flag has variants or rules, which Flipt ignores.
  unreachable-rule       A rule or rollout comes after one that already applies to all of its entities.
  never-matches          No value can match a constraint.
  single-value           All rules or rollouts of a flag lead to the same value, or the flag has no value.
  unknown-rule           A comment, as described below, names a rule that does not exist.
  unused-segment         Info: no rule and no rollout uses a segment.

Warnings are found once there are no errors.
Rules without a level before them are warnings. In a variant flag that is not enabled, they are infos.

Comments in the file turn rules off, for a line (at its end, or on a line of its own above it) or for the whole file:
  # flipt-lint-ignore: unused-segment, rollout-sum -- the reason
  # flipt-lint-ignore-file: missing-type

The exit code is 1 with errors (or, with --strict, warnings), and 2 if a file cannot be read or an argument is wrong.

Example
  openfeature-flipt-provider lint features.yml`;
