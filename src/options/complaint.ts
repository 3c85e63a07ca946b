import * as v from 'valibot';
import type { clientShape, providerShape } from './shape.js';
import { isPlainObject } from '../text/describe.js';
import { quoted, unsteered } from '../text/quote.js';

/**
 * What the first thing wrong is: `cache.freshForMs: expected milliseconds >= 0, got -5`; `undefined` if all is well.
 * `nameOf` says how the one who gave it calls what stands at a path.
 */
export function complaint(
  shape: typeof clientShape | typeof providerShape,
  given: unknown,
  nameOf: (path: string) => string = (path) => path,
): string | undefined {
  const checked = v.safeParse<v.GenericSchema>(shape, given, { abortEarly: true });
  const issue = checked.issues?.[0];
  if (issue === undefined) return undefined;
  const path = (issue.path ?? []).map(({ key }) => unsteered(String(key))).join('.') || 'options';
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return `${path}: unknown option, expected one of ${issue.message}`;
  }
  return `${nameOf(path)}: expected ${issue.message}, got ${shown(path, issue.input)}`;
}

/** Where nobody puts a credential, not even by mistake. Of all else only the kind is told. */
const HARMLESS =
  /^(namespace|environment|reference|targetingKey|attributes|initTimeoutMs|deadlineMs|cache|batch|breaker|http\.(timeoutMs|retries|socketPath))\b/;

function shown(path: string, given: unknown): string {
  switch (typeof given) {
    case 'string':
      if (given === '') return "''";
      return HARMLESS.test(path) ? quoted(given.slice(0, 100)) : 'a string';
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return String(given);
    case 'object':
      return given === null ? 'null' : kindOf(path, given);
    default:
      return `a ${typeof given}`;
  }
}

/** Of options the names, as in `{ token: undefined }`; never the values. */
function kindOf(path: string, given: object): string {
  if (Array.isArray(given)) return 'a list';
  if (!isPlainObject(given)) return 'no plain object';
  const names = Object.keys(given);
  if (names.length === 0) return 'an empty object';
  if (!/^(auth|http|attributes|logger)$/.test(path)) return 'an object';
  const members = names.slice(0, 5).map((name) => (isUndefined(given, name) ? `${name}: undefined` : name));
  return unsteered(`{ ${members.join(', ').slice(0, 100)} }`);
}

/** Without a look at what a getter gives: it is the caller's code. */
function isUndefined(given: object, name: string): boolean {
  const member = Object.getOwnPropertyDescriptor(given, name);
  return member !== undefined && 'value' in member && member.value === undefined;
}
