import * as v from 'valibot';
import { kindOf, quoted } from '../../base/text/describe.js';
import { parsedJson } from '../../base/text/json.js';

/**
 * This error means that the body of a response is not a snapshot, is incomplete or too large, or holds something that
 * this version of the package does not know. The message of the error usually names the place of the mistake in the
 * body. If the error is thrown while a flag is read, the error concerns only that flag.
 */
export class InvalidBody extends Error {
  override readonly name = 'InvalidBody';
}

/** Parses a part of the body as JSON. Throws {@link InvalidBody} with `place` if the part is no JSON. */
export function parsed(json: string, place: string): unknown {
  const value = parsedJson(json);
  if (value === undefined) throw new InvalidBody(`${place}: not JSON`);
  return value;
}

/**
 * Checks a part of the body. Throws {@link InvalidBody} if the part does not fit `schema`. The message begins with the
 * place of the error, such as `flags[3].rules[0].segments: expected …`. If `place` is empty, the message names only the
 * place of the error within the part.
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

/**
 * Writes one step of the path to a wrong value, such as `[0]` or `.rules`. `key` is a name from the schema or a
 * position in a list, so `key` cannot hold personal data.
 */
function step(key: unknown): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
}

/**
 * Describes a wrong value for a message that goes to a log. The description shows a text that looks like a word of an
 * enum or, in the member `operator`, like an operator. Of any other value, the description shows only the kind, because
 * a segment can hold personal data.
 */
function shown(input: unknown, isOperator: boolean): string {
  const word = isOperator ? /^[A-Za-z_]{1,30}$/ : /^[A-Z_]{1,60}$/;
  return typeof input === 'string' && word.test(input) ? quoted(input) : kindOf(input);
}
