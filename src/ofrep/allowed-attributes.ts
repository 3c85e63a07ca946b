import type { EvaluationContext } from '@openfeature/server-sdk';
import { quoted } from '../text/describe.js';
import { REFUSAL, tooLong, tooMany, type OfrepRefusal } from './refusals.js';

interface Limits {
  readonly allow: readonly string[];
  readonly maxAttributes: number;
  readonly maxAttributeLength: number;
}

/** The attributes in the body that the browser may name, or why they are refused. */
export function allowedAttributes(
  inBody: object,
  { allow, maxAttributes, maxAttributeLength }: Limits,
): { readonly attributes: EvaluationContext } | OfrepRefusal {
  const present = allow.filter((name) => Object.hasOwn(inBody, name));
  if (present.length > maxAttributes) return tooMany(maxAttributes);
  const attributes = present.map((name): [string, unknown] => [name, Reflect.get(inBody, name)]);
  for (const [name, value] of attributes) {
    const length = lengthOf(value);
    if (length === undefined) return REFUSAL.unusableContext;
    if (length > maxAttributeLength) return tooLong(quoted(name), maxAttributeLength, length);
  }
  return { attributes: Object.fromEntries(attributes) as EvaluationContext };
}

/** The length of the text that Flipt compares; `undefined` if it cannot be written. */
function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string') return value.length;
  try {
    return JSON.stringify(value).length;
  } catch {
    // Nested deeper than JSON can be written.
    return undefined;
  }
}
