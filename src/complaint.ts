import * as v from 'valibot';
import type { clientShape, providerShape } from './checks.js';
import { quoted, unsteered } from './quoted.js';

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

function shown(path: string, given: unknown): string {
  switch (typeof given) {
    case 'string':
      if (given === '') return "''";
      return isSecret(path, given) ? 'a string' : quoted(given.slice(0, 100));
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return String(given);
    case 'object':
      return given === null ? 'null' : kindOf(given);
    default:
      return `a ${typeof given}`;
  }
}

/** Whether a credential may stand there; of an address, only one that has a part for it. */
function isSecret(path: string, text: string): boolean {
  return path === 'url' ? /[@?#]/.test(text) : /^(auth|headers|http\.(tls|proxy))\b/.test(path);
}

/** `{ token: undefined }`: the names of what it has, never the values. */
function kindOf(given: object): string {
  if (Array.isArray(given)) return 'a list';
  const tag = Object.prototype.toString.call(given).slice(8, -1);
  if (tag !== 'Object') return unsteered(`a ${tag}`);
  const members = Object.entries(given).map(([name, value]) =>
    value === undefined ? `${name}: undefined` : name,
  );
  return members.length === 0 ? 'an empty object' : unsteered(`{ ${members.slice(0, 5).join(', ')} }`);
}
