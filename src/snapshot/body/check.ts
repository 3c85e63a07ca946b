import * as v from 'valibot';
import { kindOf } from '../../text/describe.js';
import { quoted } from '../../text/quote.js';
import { InvalidBody } from './invalid-body.js';

/** Parses a piece of the body. Throws {@link InvalidBody} with the place: `flags[3].rules[0].segments: expected …`. */
export function checked<S extends v.GenericSchema>(json: string, schema: S, place: string): v.InferOutput<S> {
  const result = v.safeParse(schema, parsed(json, place), { abortEarly: true });
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = (issue.path ?? []).map(({ key }) => step(key)).join('');
  const where = (place + path).replace(/^\./, '') || 'the body';
  if (issue.input === undefined) throw new InvalidBody(`${where}: missing`);
  throw new InvalidBody(`${where}: expected ${issue.message}, got ${shown(issue.input)}`);
}

function parsed(json: string, place: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new InvalidBody(`${place || 'the body'}: not JSON`);
  }
}

/** `key` is a name from the schema or a position in a list, so it is safe to show. */
function step(key: unknown): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
}

/** Shows kinds, not values: a segment may hold personal data, and the message goes to a log. */
function shown(input: unknown): string {
  return typeof input === 'string' && /^[A-Z_]{1,60}$/.test(input) ? quoted(input) : kindOf(input);
}
