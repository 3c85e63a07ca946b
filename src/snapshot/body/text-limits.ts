import { hasMoreValues } from '../../base/text/json.js';
import { InvalidBody } from './invalid-body.js';

/*
 * A flag's text is parsed, checked and compared in one turn of the event loop, so that its size and the number of its
 * values have limits.
 */

export const MOST_TEXT_BYTES = 1024 * 1024;
/**
 * Reading this many values takes about a tenth of a second. Flipt writes 5 or 6 values for a constraint, which take more
 * than 17 bytes each, so that a flag has this many values only if its text has about 1 MB.
 */
const MOST_VALUES = 50_000;

/** Returns the text. Throws {@link InvalidBody} if the text is too large to be parsed. `place` begins the message. */
export function checkText(bytes: Buffer, place = ''): string {
  const begin = place === '' ? '' : `${place}: `;
  if (bytes.length > MOST_TEXT_BYTES) throw new InvalidBody(`${begin}more than ${MOST_TEXT_BYTES} bytes`);
  const text = bytes.toString();
  if (hasMoreValues(text, MOST_VALUES)) throw new InvalidBody(`${begin}more than ${MOST_VALUES} values`);
  return text;
}
