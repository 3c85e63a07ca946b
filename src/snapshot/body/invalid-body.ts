import * as v from 'valibot';
import { kindOf, quoted } from '../../base/text/describe.js';
import { parsedJson } from '../../base/text/json.js';

/**
 * The body is not a snapshot, only part of one, or holds what this version does not know. The message names the place.
 * Thrown while one flag is read, it concerns this flag alone.
 */
export class InvalidBody extends Error {
  override readonly name = 'InvalidBody';
}

/** A part of the body as JSON. Throws {@link InvalidBody} with the place. */
export function parsed(json: string, place: string): unknown {
  const value = parsedJson(json);
  if (value === undefined) throw new InvalidBody(`${place}: not JSON`);
  return value;
}

/**
 * Checks a part of the body. Throws {@link InvalidBody} with the place: `flags[3].rules[0].segments: expected …`. With
 * `''` as `place`, the place is within that part.
 */
export function checked<S extends v.GenericSchema>(
  part: unknown,
  schema: S,
  place: string,
): v.InferOutput<S> {
  const result = v.safeParse(schema, part, { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = issue.path ?? [];
  const where = (place + path.map(({ key }) => step(key)).join('')).replace(/^\./, '') || 'the body';
  if (issue.input === undefined) throw new InvalidBody(`${where}: missing`);
  const isOperator = path.at(-1)?.key === 'operator';
  throw new InvalidBody(`${where}: expected ${issue.message}, got ${shown(issue.input, isOperator)}`);
}

/** `key` is a name from the schema or a position in a list, so it is safe to show. */
function step(key: unknown): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
}

/** Shows words of enums and operators, else kinds: a segment may hold personal data, and the message goes to a log. */
function shown(input: unknown, isOperator: boolean): string {
  const word = isOperator ? /^[A-Za-z_]{1,30}$/ : /^[A-Z_]{1,60}$/;
  return typeof input === 'string' && word.test(input) ? quoted(input) : kindOf(input);
}
