import type { JsonValue } from '@openfeature/server-sdk';
import { mismatch, parseAttachment, type Translate } from './value.js';
import { quoted, unsteered } from '../../text/quote.js';

/** Variant flag: an attachment that is a JSON object or array, a fresh copy each time. */
export const toObject: Translate<JsonValue> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('an object', answer);
  try {
    const attached = parseAttachment(answer.attachment);
    if (typeof attached !== 'object' || attached === null) return mismatch('an object or array', answer);
    return { value: attached as JsonValue, variant: answer.variant };
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const where = `the attachment of variant ${quoted(answer.variant)}`;
    return { problem: 'PARSE_ERROR', message: `${where} is not JSON: ${unsteered(cause)}` };
  }
};
