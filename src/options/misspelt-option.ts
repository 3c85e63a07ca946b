import { closestTo } from '../base/text/closest-name.js';

/** The part of a rule that names the members of an object. A rule for any other value has no `entries`. */
interface Rule {
  readonly entries?: Readonly<Record<string, Rule>>;
  readonly wrapped?: Rule;
}

/**
 * Suggests the options that the user might have meant by an unknown name: an option of the same group with a similar
 * name, or else an option of another group with the same or a similar name. Returns `undefined` if no option has a
 * similar name. `path` ends with the unknown name.
 */
export function misspeltOption(rule: object, path: readonly string[]): string | undefined {
  const unknown = path.at(-1) ?? '';
  const all = optionsOf(rule, []);
  const beside = all.filter((option) => isBeside(option, path));
  // Many short names differ in two letters and do not mean the same, such as ttl and url.
  const mistakes = unknown.length < 5 ? 1 : 2;
  const found = near(unknown, beside, mistakes) ?? near(unknown, all, unknown.length < 5 ? 0 : mistakes);
  return found && `did you mean ${found.map((option) => written(option, path)).join(' or ')}?`;
}

/** Returns the path of every option, as the list of names that leads to the option. */
function optionsOf(rule: Rule, before: readonly string[]): readonly (readonly string[])[] {
  const entries = Object.entries(rule.entries ?? rule.wrapped?.entries ?? {});
  return entries.flatMap(([name, inner]) => [[...before, name], ...optionsOf(inner, [...before, name])]);
}

/**
 * Returns the options that have the name. If no option has the name, it returns the options with the closest name, or
 * else the options whose name begins with the given one or is its beginning.
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

/** A message with more suggestions than this would not help the user. */
const MOST_ALIKE = 2;

/** Returns whether one of the two names begins with the other, as `environment` begins with `env`. */
function beginsLike(one: string, other: string): boolean {
  return Math.min(one.length, other.length) > 2 && (one.startsWith(other) || other.startsWith(one));
}

/** Writes an option for a message: `"cache"` or, in another group, `watch: { pollMs }`. */
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
