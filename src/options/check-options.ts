import * as v from 'valibot';
import { isPlainObject, isRecord, kindOf, beginningOf, quoted, unsteered } from '../base/text/describe.js';
import { isCredentialName, isHeaderName } from '../base/text/header.js';
import { oldNode } from '../base/text/old-node.js';
import { misspeltOption } from './misspelt-option.js';

/** The rules for the options of one function or class. */
export interface OptionRules<Shape extends v.GenericSchema = v.GenericSchema> {
  /** The name of the function or class, such as `FliptProvider`, with which each error message begins. */
  readonly owner: string;
  /** The valibot schema of the options. The messages of the schema say what value was expected. */
  readonly shape: Shape;
  /**
   * Returns whether an error message shows, after the word `got`, the text that the user gave for the option at `path`.
   * The result must be `false` for a text that might be a credential. Default: the result is always `false`.
   */
  readonly showsText?: (path: string, text: string) => boolean;
  /**
   * Returns whether an error message shows, after the word `got`, the names of the members of an object that the user
   * gave for the option at `path`. Default: the result is always `false`.
   */
  readonly showsNames?: (path: string) => boolean;
  /**
   * Returns the name that an error message uses for the option at `path`, such as the name of an environment variable.
   * Default: the path of the option.
   */
  readonly nameOf?: (path: string) => string;
  /**
   * Returns a hint about what the user probably meant, or `undefined` if that cannot be guessed. The error message ends
   * with the hint. `given` is the wrong value at `path`, and `holder` is the object that contains the wrong value as a
   * member.
   */
  readonly hint?: (path: string, given: unknown, holder: unknown) => string | undefined;
}

/**
 * Checks options, and returns the options with their defaults filled in. Throws an Error if this Node is too old for
 * the package. Throws a TypeError about the first wrong option, such as `FliptProvider: cache.freshForMs: expected
 * milliseconds >= 0, got -5`. `nameOf` returns the name that the error message uses for the option at a path, such as
 * the name of an environment variable.
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
  // The error message must not show a credential that a user has written by mistake in place of the name of a header,
  // or in place of the name of a member of `auth`.
  const isWrongName = issue.path?.at(-1)?.origin === 'key' && !isHeaderName(keys.at(-1) ?? '');
  const isHidden = isUnknown ? keys[0] === 'auth' && keys.length > 1 : isWrongName;
  const path = (isHidden ? parent : keys.join('.')) || 'options';
  const hint =
    (isHidden ? undefined : rules.hint?.(path, issue.input, issue.path?.at(-1)?.input)) ??
    (isUnknown ? misspeltOption(rules.shape, keys) : undefined);
  const expected = hint === undefined ? `, expected one of ${issue.message}` : '';
  const wrong = isUnknown
    ? `${path}: unknown ${isHidden ? 'member' : 'option'}${expected}`
    : `${nameOf(path)}: expected ${issue.message}, got ${shown(rules, path, issue.input)}`;
  throw new TypeError(`${rules.owner}: ${wrong}${hint === undefined ? '' : `; ${hint}`}`);
}

function shown({ showsText, showsNames }: OptionRules, path: string, given: unknown): string {
  if (given === '') return "''";
  if (typeof given === 'string') return showsText?.(path, given) ? quoted(beginningOf(given)) : kindOf(given);
  if (given instanceof Uint8Array) return 'bytes';
  const isNumber = typeof given === 'number' || typeof given === 'bigint';
  if (isNumber ? !isCredentialName(path) : typeof given === 'boolean') return String(given);
  return isRecord(given) ? objectWords(given, showsNames?.(path) ?? false) : kindOf(given);
}

/**
 * Describes an object, for example by the names of its members, as in `{ token: undefined }`. The description shows no
 * values of members except `undefined`.
 */
function objectWords(given: object, showsNames: boolean): string {
  if (!isPlainObject(given)) return 'no plain object';
  const names = Object.keys(given);
  if (names.length === 0) return 'an empty object';
  if (!showsNames) return kindOf(given);
  const members = names.slice(0, 5).map((name) => (isUndefined(given, name) ? `${name}: undefined` : name));
  return unsteered(`{ ${beginningOf(members.join(', '))} }`);
}

/**
 * Returns whether a member of an object is `undefined`. The function calls no getter, because a getter is code of the
 * user.
 */
function isUndefined(given: object, name: string): boolean {
  const member = Object.getOwnPropertyDescriptor(given, name);
  return member !== undefined && 'value' in member && member.value === undefined;
}
