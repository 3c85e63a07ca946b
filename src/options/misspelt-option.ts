import { closestTo } from '../base/text/closest-name.js';

/**
 * The part of a valibot schema that names the members of an object. A schema for a value that is not an object has no
 * `entries`.
 */
interface Rule {
  readonly entries?: Readonly<Record<string, Rule>>;
  readonly wrapped?: Rule;
}

/**
 * Suggests the options that the user might have meant by an unknown name. The function first looks for a similar name
 * in the same group of options, and then for the same or a similar name in all other groups. Returns `undefined` if no
 * option has a similar name. `path` ends with the unknown name.
 */
export function misspeltOption(rule: object, path: readonly string[]): string | undefined {
  const unknown = path.at(-1) ?? '';
  const all = optionsOf(rule, []);
  const beside = all.filter((option) => isBeside(option, path));
  // Two short names that differ in two letters, such as ttl and url, often have nothing in common.
  const mistakes = unknown.length < 5 ? 1 : 2;
  const found = near(unknown, beside, mistakes) ?? near(unknown, all, unknown.length < 5 ? 0 : mistakes);
  return found && `did you mean ${found.map((option) => written(option, path)).join(' or ')}?`;
}

/** Returns the paths of all options. The path of an option is the list of names that leads to the option. */
function optionsOf(rule: Rule, before: readonly string[]): readonly (readonly string[])[] {
  const entries = Object.entries(rule.entries ?? rule.wrapped?.entries ?? {});
  return entries.flatMap(([name, inner]) => [[...before, name], ...optionsOf(inner, [...before, name])]);
}

/**
 * Returns the options whose name is equal to `name` except for capital letters. If there is no equal name, the function
 * returns the options with the closest name. If no name is close, the function returns the options whose name begins
 * with `name`, and those whose name is the beginning of `name`, if there are at most `MOST_ALIKE` such options.
 */
function near(name: string, options: readonly (readonly string[])[], mistakes: number) {
  const lower = name.toLowerCase();
  const same = options.filter((option) => option.at(-1)?.toLowerCase() === lower);
  if (same.length > 0) return same;
  const search = closestTo(name, mistakes);
  for (const option of options) search.compare(option.at(-1) ?? '');
  const like = search.found();
  if (like !== undefined) return options.filter((option) => option.at(-1) === like);
  const begun = options.filter((option) => beginsLike(lower, (option.at(-1) ?? '').toLowerCase()));
  return begun.length > 0 && begun.length <= MOST_ALIKE ? begun : undefined;
}

/**
 * If more options than this begin like the given name, `near` returns none of them, because a long list of suggestions
 * would not help the user.
 */
const MOST_ALIKE = 2;

/**
 * Returns whether one of two names begins with the other, as `environment` begins with `env`. A beginning of fewer than
 * three letters does not count.
 */
function beginsLike(one: string, other: string): boolean {
  return Math.min(one.length, other.length) > 2 && (one.startsWith(other) || other.startsWith(one));
}

/**
 * Writes an option for an error message, such as `"cache"` for an option in the group of the unknown name, or `watch: {
 * pollMs }` for an option in another group.
 */
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
