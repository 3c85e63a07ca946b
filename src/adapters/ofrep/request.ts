import type { EvaluationContext } from '@openfeature/server-sdk';
import { isRecord, quoted } from '../../base/text/describe.js';
import { parsedJson, writtenJson } from '../../base/text/json.js';
import { systemClock } from '../../base/time/clock.js';
import { inTime } from '../../base/time/in-time.js';
import { MOST_BODY_BYTES, REFUSAL, type Refusal } from './response.js';

const BODY_WITHIN_MS = 10_000;

export async function contextInBody(request: Request): Promise<{ readonly context: object } | Refusal> {
  const text = await textOfBody(request);
  if (typeof text !== 'string') return text;
  const body = parsedJson(text);
  if (!isRecord(body)) return REFUSAL.noJson;
  const context = 'context' in body ? body.context : {};
  return isRecord(context) ? { context } : REFUSAL.noContext;
}

async function textOfBody(request: Request): Promise<string | Refusal> {
  if (request.bodyUsed) {
    throw new TypeError(
      'ofrep: the body of the request has already been read: pass a clone that was made before',
    );
  }
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  try {
    return await inTime(readAll(reader), BODY_WITHIN_MS, systemClock, () => new Error('late'));
  } catch {
    // Too slow, or the browser has disconnected.
    return REFUSAL.late;
  } finally {
    // The rest might never arrive.
    reader.cancel().catch(() => undefined);
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string | Refusal> {
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

// Each attribute can be compared with many constraints, or sent to Flipt with each flag.
const MOST_ATTRIBUTES = 100;
const LONGEST_ATTRIBUTE = 1_000;

export function allowedAttributes(
  inBody: object,
  allow: readonly string[],
): { readonly attributes: EvaluationContext } | Refusal {
  const present = allow.filter((name) => Object.hasOwn(inBody, name));
  if (present.length > MOST_ATTRIBUTES) return REFUSAL.tooMany(MOST_ATTRIBUTES);
  const attributes = present.map((name): [string, unknown] => [name, Reflect.get(inBody, name)]);
  for (const [name, value] of attributes) {
    // Flipt compares text.
    const text = typeof value === 'string' ? value : writtenJson(value);
    if (text === undefined) return REFUSAL.unusableContext;
    if (text.length > LONGEST_ATTRIBUTE) return REFUSAL.tooLong(quoted(name), LONGEST_ATTRIBUTE, text.length);
  }
  return { attributes: Object.fromEntries(attributes) as EvaluationContext };
}
