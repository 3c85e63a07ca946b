import { systemClock } from '../../base/time/clock.js';
import { isRecord, quoted } from '../../base/text/describe.js';
import { parsedJson, writtenJson } from '../../base/text/json.js';
import { inTime } from '../../base/time/in-time.js';
import { MOST_BODY_BYTES, REFUSAL, type OfrepRefusal, tooLong, tooMany } from './refusals.js';
import type { OfrepSettings } from './ofrep-options.js';
import type { EvaluationContext } from '@openfeature/server-sdk';

/**
 * How many milliseconds the body of a request can take to arrive. A body of the allowed size usually arrives in a
 * moment, and a browser that sends for longer than this keeps a connection busy.
 */
const BODY_WITHIN_MS = 10_000;

/**
 * Reads the context from the request's body. If the body cannot be used, the function returns the refusal for the
 * browser.
 */
export async function contextInBody(request: Request): Promise<{ readonly context: object } | OfrepRefusal> {
  const text = await textOfBody(request);
  if (typeof text !== 'string') return text;
  const body = parsedJson(text);
  if (!isRecord(body)) return REFUSAL.noJson;
  const context = 'context' in body ? body.context : {};
  return isRecord(context) ? { context } : REFUSAL.noContext;
}

async function textOfBody(request: Request): Promise<string | OfrepRefusal> {
  if (request.bodyUsed) {
    throw new TypeError(
      'ofrep: the body of the request has already been read: pass a clone that was made before',
    );
  }
  if (Number(request.headers.get('content-length')) > MOST_BODY_BYTES) return REFUSAL.tooLarge;
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  try {
    return await inTime(readAll(reader), BODY_WITHIN_MS, systemClock, () => new Error('late'));
  } catch {
    // The body came too slowly, or could not be read, for example because the browser has disconnected.
    return REFUSAL.late;
  } finally {
    // The rest of the body is not needed, and might never arrive.
    reader.cancel().catch(() => undefined);
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | OfrepRefusal> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MOST_BODY_BYTES) return REFUSAL.tooLarge;
    text += decoder.decode(value, { stream: true });
  }
}

type Limits = Pick<OfrepSettings, 'allow' | 'maxAttributes' | 'maxAttributeLength'>;

/**
 * Returns the attributes in the body that the browser is allowed to send, or a refusal if these attributes are too many
 * or too long.
 */
export function allowedAttributes(
  inBody: object,
  { allow, maxAttributes, maxAttributeLength }: Limits,
): { readonly attributes: EvaluationContext } | OfrepRefusal {
  const present = allow.filter((name) => Object.hasOwn(inBody, name));
  if (present.length > maxAttributes) return tooMany(maxAttributes);
  const attributes = present.map((name): [string, unknown] => [name, Reflect.get(inBody, name)]);
  for (const [name, value] of attributes) {
    // Flipt compares an attribute as text with the constraints of a flag, so the limit applies to the length of the
    // text.
    const text = typeof value === 'string' ? value : writtenJson(value);
    if (text === undefined) return REFUSAL.unusableContext;
    if (text.length > maxAttributeLength) return tooLong(quoted(name), maxAttributeLength, text.length);
  }
  return { attributes: Object.fromEntries(attributes) as EvaluationContext };
}
