import type { JsonValue } from '@openfeature/server-sdk';
import { mismatch, parseAttachment, type Translate } from './value.js';
import { quoted } from '../../text/quote.js';

/** Variant flag: an attachment that is a JSON object or array, a fresh copy each time. */
export const toObject: Translate<JsonValue> = (answer) => {
  if (answer.kind === 'boolean') return mismatch('an object', answer);
  try {
    const attached = parseAttachment(answer.attachment);
    if (typeof attached !== 'object' || attached === null) return mismatch('an object or array', answer);
    return { value: attached as JsonValue, variant: answer.variant };
  } catch (error) {
    // Without the parser's message, which quotes the attachment.
    const { variant, attachment } = answer;
    const what = error instanceof SyntaxError ? 'not JSON' : 'nested too deep to be written again';
    const message = `the attachment of variant ${quoted(variant)} is ${what} (${attachment.length} characters)`;
    return { problem: 'PARSE_ERROR', message };
  }
};
