import * as v from 'valibot';
import { isPlainObject, isRecord, kindOf, unsteered } from '../base/text/describe.js';
import { isCredentialName, isHeaderName } from '../base/text/header.js';

export interface OptionRules<Shape extends v.GenericSchema = v.GenericSchema> {
  /** Such as `FliptProvider`: each message begins with it. */
  readonly owner: string;
  /** Its messages say what was expected. */
  readonly shape: Shape;
}

/**
 * Fills in the defaults. Throws a TypeError about the first wrong option, such as `FliptProvider: cache.freshForMs:
 * expected milliseconds >= 0, got -5`, without any text that was given: it may be a credential in the wrong place.
 */
export function checkOptions<Shape extends v.GenericSchema>(
  { owner, shape }: OptionRules<Shape>,
  given: unknown,
  nameOf: (path: string) => string = (path) => path,
): v.InferOutput<Shape> {
  const tooOld = oldNode();
  if (tooOld !== undefined) throw new Error(`${owner}: ${tooOld}`);
  const checked = v.safeParse(shape, given, { abortEarly: true });
  if (checked.success) return checked.output;
  throw new TypeError(`${owner}: ${wordsOf(checked.issues[0], nameOf)}`);
}

/** Node has this function from 20.16 on. */
export function oldNode(): string | undefined {
  if (typeof Reflect.get(process, 'getBuiltinModule') === 'function') return undefined;
  return `openfeature-flipt-provider needs Node 20.18.1 or newer; this is ${process.version}`;
}

function wordsOf(issue: v.BaseIssue<unknown>, nameOf: (path: string) => string): string {
  const { message, input, type, expected, path = [] } = issue;
  const isUnknown = type === 'strict_object' && expected === 'never';
  const keys = path.map(({ key }) => unsteered(String(key)));
  const last = keys.at(-1) ?? '';
  // A credential may stand in place of a header's name, or of a member of `auth`.
  const isHidden = isUnknown
    ? keys[0] === 'auth' && keys.length > 1
    : type !== 'strict_object' && path.at(-1)?.origin === 'key' && !isHeaderName(last);
  const place = (isHidden ? keys.slice(0, -1) : keys).join('.') || 'options';
  if (isUnknown) return `${place}: unknown ${isHidden ? 'member' : 'option'}${message}`;
  // A conflict of several options concerns none of their values.
  const got = type === 'check' && isRecord(input) ? '' : `, got ${shown(place, input)}`;
  return `${nameOf(place)}: expected ${message}${got}`;
}

function shown(path: string, given: unknown): string {
  if (given === '') return "''";
  const isNumber = typeof given === 'number' || typeof given === 'bigint';
  if (isNumber ? !isCredentialName(path) : typeof given === 'boolean') return String(given);
  const isSpecial = isRecord(given) && !isPlainObject(given);
  return isSpecial
    ? `a ${Object.prototype.toString.call(given).slice('[object '.length, -1)}`
    : kindOf(given);
}
