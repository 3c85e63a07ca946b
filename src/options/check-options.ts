import * as v from 'valibot';
import { closestTo } from '../base/text/closest-name.js';
import { isPlainObject, isRecord, kindOf, beginningOf, quoted, unsteered } from '../base/text/describe.js';
import { isCredentialName, isHeaderName } from '../base/text/header.js';
import { oldNode } from '../base/text/old-node.js';

/** The rules for the options of one function or class. */
export interface OptionRules<Shape extends v.GenericSchema = v.GenericSchema> {
  /** Begins each message: `FliptProvider`. */
  readonly owner: string;
  /** The messages of the schema say what was expected. */
  readonly shape: Shape;
  /**
   * Whether a message may show the text at a path. Only for options where nobody puts a credential, not even by
   * mistake. Default: never.
   */
  readonly showsText?: (path: string, text: string) => boolean;
  /** Whether a message may show the member names of the object at a path. Default: never. */
  readonly showsNames?: (path: string) => boolean;
  /** The user's name for the option at a path. Default: the path. */
  readonly nameOf?: (path: string) => string;
  /**
   * A hint what to write instead of the value at a path, if that can be guessed. It ends the message. `holder` is the
   * object that has the value.
   */
  readonly hint?: (path: string, given: unknown, holder: unknown) => string | undefined;
}

/**
 * Gives the options with their defaults. Throws a TypeError about the first wrong option:
 * `FliptProvider: cache.freshForMs: expected milliseconds >= 0, got -5`. `nameOf` gives the user's name for the value at
 * a path, such as an environment variable.
 */
export function checkOptions<Shape extends v.GenericSchema>(
  rules: OptionRules<Shape>,
  given: unknown,
  nameOf: (path: string) => string = rules.nameOf ?? ((path) => path),
): v.InferOutput<Shape> {
  const tooOld = oldNode();
  if (tooOld !== undefined) throw new Error(`${rules.owner}: ${tooOld}`);
  const checked = v.safeParse(rules.shape, given, { abortEarly: true });
  if (checked.success) return checked.output;
  const [issue] = checked.issues;
  const isUnknown = issue.type === 'strict_object';
  const keys = (issue.path ?? []).map(({ key }) => unsteered(String(key)));
  const parent = keys.slice(0, -1).join('.');
  // An unknown member of `auth`, or what is no name of a header, may be a credential in the wrong place.
  const isWrongName = issue.path?.at(-1)?.origin === 'key' && !isHeaderName(keys.at(-1) ?? '');
  const isHidden = isUnknown ? parent === 'auth' : isWrongName;
  const path = (isHidden ? parent : keys.join('.')) || 'options';
  const hint =
    (isHidden ? undefined : rules.hint?.(path, issue.input, issue.path?.at(-1)?.input)) ??
    (isUnknown ? meantOption(rules.shape, keys) : undefined);
  const known = hint === undefined ? `, expected one of ${issue.message}` : '';
  const wrong = isUnknown
    ? `${path}: unknown ${isHidden ? 'member' : 'option'}${known}`
    : `${nameOf(path)}: expected ${issue.message}, got ${shown(rules, path, issue.input)}`;
  throw new TypeError(`${rules.owner}: ${wrong}${hint === undefined ? '' : `; ${hint}`}`);
}

function shown({ showsText, showsNames }: OptionRules, path: string, given: unknown): string {
  if (given === '') return "''";
  if (typeof given === 'string') return showsText?.(path, given) ? quoted(beginningOf(given)) : kindOf(given);
  const isNumber = typeof given === 'number' || typeof given === 'bigint';
  if (isNumber ? !isCredentialName(path) : typeof given === 'boolean') return String(given);
  return isRecord(given) ? objectWords(given, showsNames?.(path) ?? false) : kindOf(given);
}

/** Shows names at most, and never values: `{ token: undefined }`. */
function objectWords(given: object, showsNames: boolean): string {
  if (!isPlainObject(given)) return 'no plain object';
  const names = Object.keys(given);
  if (names.length === 0) return 'an empty object';
  if (!showsNames) return kindOf(given);
  const members = names.slice(0, 5).map((name) => (isUndefined(given, name) ? `${name}: undefined` : name));
  return unsteered(`{ ${beginningOf(members.join(', '))} }`);
}

/** Calls no getter, because that is the caller's code. */
function isUndefined(given: object, name: string): boolean {
  const member = Object.getOwnPropertyDescriptor(given, name);
  return member !== undefined && 'value' in member && member.value === undefined;
}

/** What a rule says of its members; none for a rule of anything but an object of options. */
interface Rule {
  readonly entries?: Readonly<Record<string, Rule>>;
  readonly wrapped?: Rule;
}

/**
 * What to write instead of an unknown option: one of a similar name beside it, or one of its name, or of a similar one,
 * in another group of options. `undefined` if nothing is near. `path` ends with the unknown name.
 */
function meantOption(rule: object, path: readonly string[]): string | undefined {
  const unknown = path.at(-1) ?? '';
  const all = optionsOf(rule, []);
  const beside = all.filter((option) => isBeside(option, path));
  // Of short names, many are alike that do not mean the same: ttl and url.
  const mistakes = unknown.length < 5 ? 1 : 2;
  const meant = near(unknown, beside, mistakes) ?? near(unknown, all, unknown.length < 5 ? 0 : mistakes);
  return meant && `did you mean ${meant.map((option) => written(option, path)).join(' or ')}?`;
}

/** Every option, by the names that lead to it. */
function optionsOf(rule: Rule, before: readonly string[]): readonly (readonly string[])[] {
  const entries = Object.entries(rule.entries ?? rule.wrapped?.entries ?? {});
  return entries.flatMap(([name, inner]) => [[...before, name], ...optionsOf(inner, [...before, name])]);
}

/** Those that have the name or, if none has it, the name that is closest. */
function near(name: string, options: readonly (readonly string[])[], mistakes: number) {
  const lower = name.toLowerCase();
  const same = options.filter((option) => option.at(-1)?.toLowerCase() === lower);
  if (same.length > 0) return same;
  const search = closestTo(name, mistakes);
  for (const option of options) search.compare(option.at(-1) ?? '');
  const like = search.found();
  if (like !== undefined) return options.filter((option) => option.at(-1) === like);
  const begun = options.filter((option) => beginsLike(lower, (option.at(-1) ?? '').toLowerCase()));
  return begun.length > 0 && begun.length <= MOST_MEANT ? begun : undefined;
}

/** A list of more would not help. */
const MOST_MEANT = 2;

/** `env` means `environment`, and `namespaceKey` means `namespace`. */
function beginsLike(one: string, other: string): boolean {
  return Math.min(one.length, other.length) > 2 && (one.startsWith(other) || other.startsWith(one));
}

/** `"cache"` or, in another group, `watch: { pollMs }`. */
function written(option: readonly string[], unknown: readonly string[]): string {
  const name = option.at(-1) ?? '';
  const groups = option.slice(0, -1);
  if (isBeside(option, unknown)) return JSON.stringify(name);
  if (groups.length === 0) return `${name} outside of ${unknown.slice(0, -1).join('.')}`;
  return groups.reduceRight((inner, group) => `${group}: { ${inner} }`, name);
}

function isBeside(option: readonly string[], other: readonly string[]): boolean {
  return option.slice(0, -1).join('.') === other.slice(0, -1).join('.');
}
