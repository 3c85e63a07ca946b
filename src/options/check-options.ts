import * as v from 'valibot';
import { isPlainObject, isRecord, kindOf, beginningOf, quoted, unsteered } from '../base/text/describe.js';
import { isCredentialName, isHeaderName } from '../base/text/header.js';
import { oldNode } from '../base/text/old-node.js';
import { misspeltOption } from './misspelt-option.js';

/** The rules for the options of one function or class. */
export interface OptionRules<Shape extends v.GenericSchema = v.GenericSchema> {
  /** The name that begins each message, such as `FliptProvider`. */
  readonly owner: string;
  /** The schema of the options. The messages of the schema say what was expected. */
  readonly shape: Shape;
  /**
   * Returns whether messages show the text that the user gave at a path. Messages must show only the texts of options
   * in which nobody puts a credential, not even by mistake. Default: messages show no text.
   */
  readonly showsText?: (path: string, text: string) => boolean;
  /**
   * Returns whether messages show the names of the members of the object at a path. Default: messages show no names.
   */
  readonly showsNames?: (path: string) => boolean;
  /**
   * Returns the name by which the user knows the option at a path, such as that of an environment variable. Default:
   * the path.
   */
  readonly nameOf?: (path: string) => string;
  /**
   * Returns a hint about what to write instead of the value at a path, or `undefined` if the right value cannot be
   * guessed. The message ends with the hint. `holder` is the object that has the wrong value as a member.
   */
  readonly hint?: (path: string, given: unknown, holder: unknown) => string | undefined;
}

/**
 * Returns the options with their defaults. Throws a TypeError about the first wrong option: `FliptProvider:
 * cache.freshForMs: expected milliseconds >= 0, got -5`. `nameOf` returns the user's name for the value at a path, such
 * as an environment variable.
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
  // If the user has put a credential in the wrong place, the message must not show the credential. The credential might
  // stand where the name of a member inside `auth` or the name of a header is expected.
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
 * Describes an object by the names of its members, as in `{ token: undefined }`. The function shows no value of a
 * member except `undefined`.
 */
function objectWords(given: object, showsNames: boolean): string {
  if (!isPlainObject(given)) return 'no plain object';
  const names = Object.keys(given);
  if (names.length === 0) return 'an empty object';
  if (!showsNames) return kindOf(given);
  const members = names.slice(0, 5).map((name) => (isUndefined(given, name) ? `${name}: undefined` : name));
  return unsteered(`{ ${beginningOf(members.join(', '))} }`);
}

/** Returns whether a member is `undefined`. The function calls no getter, because a getter is the caller's code. */
function isUndefined(given: object, name: string): boolean {
  const member = Object.getOwnPropertyDescriptor(given, name);
  return member !== undefined && 'value' in member && member.value === undefined;
}
