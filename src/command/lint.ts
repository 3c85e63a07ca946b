import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../base/text/closest-name.js';
import { alternatives, quoted } from '../base/text/describe.js';
import { DEFAULT_SEMANTICS } from '../engine/version-differences.js';
import { FeaturesError } from '../features/features-error.js';
import { LINTED_VERSIONS, type LintedVersion } from '../features/format-versions.js';
import type { Finding, Level, RuleSetting } from '../features/lint/finding.js';
import { NO_SETTINGS, RULE_NAMES } from '../features/lint/lint-rules.js';
import { findingText, lint } from '../features/lint/lint.js';
import { printableJson } from './printable-json.js';
import { CommandError, type CommandRuntime } from './runtime.js';

export const FORMATS = ['text', 'json', 'github'] as const;

export interface LintOptions {
  readonly semantics?: LintedVersion;
  readonly from?: LintedVersion;
  readonly to?: LintedVersion;
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
  const settings = { ...NO_SETTINGS, rules: new Map(rule), ...(from !== undefined && { from }) };
  const findings: Finding[] = [];
  let isPartial = false;
  let isUnread = false;
  for (const file of files) {
    try {
      const linted = await lint({ path: file }, to, settings);
      findings.push(...linted.findings);
      isPartial ||= linted.isPartial;
    } catch (error) {
      if (!(error instanceof FeaturesError)) throw error;
      const mistakes = mistakesIn(file, error);
      findings.push(...mistakes);
      if (mistakes.length > 0) continue;
      isUnread = true;
      complain(`error: ${error.message}`);
    }
  }
  if (format === 'json') print(printableJson({ findings }));
  else
    for (const finding of findings) print(format === 'github' ? annotationOf(finding) : findingText(finding));
  if (isPartial) complain('Correct the errors first: more findings may follow.');
  if (semantics === undefined && from === undefined)
    complain(`Checked for Flipt ${DEFAULT_SEMANTICS}; write --semantics v2 for Flipt v2.`);
  if (isUnread) return 2;
  return findings.some(({ level }) => level === 'error' || (strict && level === 'warning')) ? 1 : 0;
}

/** The mistakes of the syntax, which make a file unreadable. */
function mistakesIn(file: string, { message }: FeaturesError): readonly Finding[] {
  const found = message.split('\n').map((line) => /^(.*) at line (\d+), column (\d+)$/.exec(line));
  return found.flatMap((match) => {
    if (match === null) return [];
    const problem = match[1]?.replace(`${file}: `, '') ?? '';
    const [line, column] = [Number(match[2]), Number(match[3])];
    const unread = {
      level: 'error',
      rule: 'unreadable',
      namespace: '',
      path: '',
      effect: '',
      fix: '',
    } as const;
    return { file, line, column, problem, others: [], ...unread };
  });
}

function checkUpgrade({ from, to }: LintOptions): void {
  if ((from === undefined) !== (to === undefined)) throw new CommandError('expected both --from and --to');
  if (from === undefined || to === undefined) return;
  if (LINTED_VERSIONS.indexOf(from) < LINTED_VERSIONS.indexOf(to)) return;
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
  const { file, line, column, level, rule, problem, effect, fix } = finding;
  const place = Object.entries({ file, line, col: column, title: rule });
  const properties = place.map(([name, value]) => `${name}=${inProperty(String(value))}`);
  return `::${COMMANDS[level]} ${properties.join(',')}::${inMessage([problem, effect, fix].join(' ').trim())}`;
}

function inMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function inProperty(text: string): string {
  return inMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

export const LINT_HELP = `
Rules
  refused                Error: this Flipt refuses the file. Flipt v2 then serves no flag of the environment.
  evaluated-differently  With --from and --to: the upgrade changes the shares or the place of a rule.
  unreadable             Error: the embedded service refuses the file, although this Flipt may take it.
  operator-type          Error: with v1, the type of a constraint does not have its operator.
  text-attachment        An attachment is a text instead of a mapping or a list. With v2, it is an error.
  missing-type           A flag has no type and no variants, so it is a variant flag without a value.
  rollout-sum            The percentages of a rule do not add up to 100.
  small-percentage       A threshold is between 0 and 1 %, and is probably meant as a share of 1.
  boolean-variants       A boolean flag has variants or rules, which Flipt ignores.
  unreachable-rule       A rule or rollout comes after one that already applies to all of its entities.
  never-matches          No value can match a constraint, or it contradicts another one.
  single-value           All rules or rollouts of a flag lead to the same value, or the flag has no value.
  unknown-rule           A comment, as described below, names a rule that does not exist.
  unused-segment         Info: no rule and no rollout uses a segment.
  refused-elsewhere      Info: the file storage of v1, or 2.9 and 2.10, refuse something.

Rules without a level before them are warnings. In a variant flag that is not enabled, they are infos.

Comments in the file turn rules off, for a line (at its end, or on a line of its own above it) or for the whole file:
  # flipt-lint-ignore: unused-segment, rollout-sum -- the reason
  # flipt-lint-ignore-file: missing-type

The exit code is 1 with errors (or, with --strict, warnings), and 2 if a file cannot be read or an argument is wrong.

Example
  openfeature-flipt-provider lint features.yml`;
