import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readIfThere } from '../base/files/durable-file.js';
import { FeaturesError } from '../features/features-error.js';
import { didYouMean } from '../base/text/closest-name.js';
import { alternatives, isRecord, messageOf, quoted } from '../base/text/describe.js';
import type { Level, LintSettings, RuleSetting } from '../features/lint/finding.js';
import { LINTED_VERSIONS } from '../features/format-versions.js';
import { NO_SETTINGS, RULE_NAMES } from '../features/lint/lint-rules.js';

/** The levels of findings, from the least serious to the most serious. */
const LEVELS = ['info', 'warning', 'error'] as const;
const RULE_SETTINGS = ['off', ...LEVELS] as const;
const MAX_LEVELS = ['none', ...LEVELS] as const;

/** Returns whether a finding of this level makes the command `lint` fail. */
export function isAbove(level: Level, maxLevel: LintSettings['maxLevel']): boolean {
  return MAX_LEVELS.indexOf(level) > MAX_LEVELS.indexOf(maxLevel);
}

/**
 * Reads the name and the level of a rule from a text in the form `NAME=LEVEL`, such as `rollout-sum=off`. If the text
 * does not have this form, or if there is no rule or level of the given name, the function throws an Error that says
 * what was expected.
 */
export function ruleSetting(text: string): readonly [string, RuleSetting] {
  const [name = '', setting = '', ...rest] = text.split('=');
  if (rest.length > 0 || setting === '') throw new Error(`expected NAME=LEVEL, got ${quoted(text)}`);
  return [knownRule(name), oneOf(RULE_SETTINGS, setting)];
}

/**
 * Reads the value of `--max-level`, or of `maxLevel` in a settings file. If the value is wrong, throws an Error that
 * says what was expected.
 */
export function maxLevelOf(given: unknown): LintSettings['maxLevel'] {
  return oneOf(MAX_LEVELS, given);
}

function knownRule(name: string): string {
  if (RULE_NAMES.includes(name)) return name;
  const hint = didYouMean(name, RULE_NAMES);
  throw new Error(`there is no rule ${quoted(name)}${hint || `; expected ${alternatives(RULE_NAMES)}`}`);
}

function oneOf<const Words extends readonly string[]>(words: Words, given: unknown): Words[number] {
  const found = words.find((word) => word === given);
  if (found !== undefined) return found;
  throw new Error(
    `expected ${alternatives(words)}, got ${typeof given === 'string' ? given : JSON.stringify(given)}`,
  );
}

const FILE = 'flipt-lint.json';
const MEMBER = 'flipt-lint';

/**
 * Reads the settings of `lint` for a features file from `flipt-lint.json`, or from the block `flipt-lint` of
 * `package.json`. The settings file is in the folder of the features file, or else in the nearest folder above it that
 * has a settings file. Rejects with a {@link FeaturesError} if the settings are wrong.
 */
export async function settingsFor(file: string): Promise<LintSettings> {
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    for (const [name, blockOf] of PLACES) {
      const path = join(folder, name);
      const block = blockOf(await jsonIn(path));
      if (block !== undefined) return checked(block, path);
    }
    if (folder === dirname(folder)) return NO_SETTINGS;
  }
}

const PLACES: readonly (readonly [string, (json: unknown) => unknown])[] = [
  [FILE, (json) => json],
  ['package.json', (json) => (isRecord(json) ? json[MEMBER] : undefined)],
];

/**
 * Reads a JSON file, and resolves with its parsed content, or with `undefined` if the file does not exist. A
 * `package.json` that is not valid JSON is treated as if it did not exist, unless its text contains `"flipt-lint"`. If
 * the file exists but cannot be read, or if it is not valid JSON and might hold settings, the promise rejects with a
 * {@link FeaturesError}.
 */
async function jsonIn(path: string): Promise<unknown> {
  let text: string | undefined;
  try {
    text = await readIfThere(path);
    if (text === undefined) return undefined;
    // Some editors on Windows write a byte order mark, which is skipped here and by npm.
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch (error) {
    const mayHoldSettings = text === undefined ? await isThere(path) : isAboutSettings(path, text);
    if (!mayHoldSettings) return undefined;
    throw new FeaturesError(`${path}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Resolves with whether a file exists at a path. A file in a folder that this process cannot search counts as missing.
 */
async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

const isAboutSettings = (path: string, text: string) => path.endsWith(FILE) || text.includes(`"${MEMBER}"`);

function checked(block: unknown, path: string): LintSettings {
  try {
    if (!isRecord(block)) throw new Error('expected an object');
    const { rules = {}, maxLevel = NO_SETTINGS.maxLevel, semantics, ...others } = block;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new Error(`${unknown}: unknown; expected rules, maxLevel and semantics`);
    if (!isRecord(rules)) throw new Error('rules: expected an object');
    const set = Object.entries(rules).map(
      ([name, setting]) => [knownRule(name), oneOf(RULE_SETTINGS, setting)] as const,
    );
    return {
      rules: new Map(set),
      maxLevel: maxLevelOf(maxLevel),
      ...(semantics !== undefined && { semantics: oneOf(LINTED_VERSIONS, semantics) }),
    };
  } catch (error) {
    throw new FeaturesError(`${path}: ${MEMBER}: ${messageOf(error)}`, { cause: error });
  }
}
