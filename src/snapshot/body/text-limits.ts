import { hasMoreValues } from '../../base/text/json.js';
import { InvalidBody } from './invalid-body.js';

/*
 * The text of a flag must be small enough, and have few enough values, to be parsed, checked and compared in one turn
 * of the event loop.
 */

export const MOST_TEXT_BYTES = 1024 * 1024;
/**
 * The largest number of JSON values in the text of a flag. Reading this many values takes about a tenth of a second. A
 * flag that Flipt has written has this many values only if its text has about 1 MB, because Flipt writes 5 or 6 values
 * for each constraint, and each value takes more than 17 bytes.
 */
const MOST_VALUES = 50_000;

/**
 * Returns the text. Throws {@link InvalidBody} if the text has too many bytes or values to be parsed. The message of
 * the error begins with `place`.
 */
export function checkText(bytes: Buffer, place = ''): string {
  const begin = place === '' ? '' : `${place}: `;
  if (bytes.length > MOST_TEXT_BYTES) throw new InvalidBody(`${begin}more than ${MOST_TEXT_BYTES} bytes`);
  const text = bytes.toString();
  if (hasMoreValues(text, MOST_VALUES)) throw new InvalidBody(`${begin}more than ${MOST_VALUES} values`);
  return text;
}
