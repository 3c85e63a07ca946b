import { systemClock } from '../../base/time/clock.js';
import { pausing } from '../../base/time/pausable-steps.js';
import { messageOf } from '../../base/text/describe.js';
import { JSON_NUMBER } from '../../base/text/json.js';
import { invalid, tooLarge } from './refused-request.js';

/** The deepest nesting of lists and objects in a JSON body that the service reads, as in Flipt. */
const MAX_DEPTH = 10_000;
/**
 * The largest number of items in one list, or members of one object, in a body. Because a batch is a list, a batch can
 * have at most 50,000 items.
 */
const MAX_MEMBERS = 50_000;
const MAX_VALUES = 2_000_000;
const PARTS_PER_MS = 2_500;

/**
 * Reads the first JSON value of a body and ignores all text after this value, as Flipt does. `parseBody` resolves with
 * `undefined` if the body contains no value, and rejects with a `Refusal` if the body cannot be read. In a body, Flipt
 * accepts only integers as numbers, and refuses even `100.0` and `1e2`. To make the service refuse numbers with a
 * fraction or an exponent, the function replaces each of them by 0.5, which the service refuses wherever it expects an
 * integer.
 */
export async function parseBody(text: string): Promise<unknown> {
  const json = await firstValue(text);
  if (/^[ \t\r\n]*$/.test(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch (error) {
    throw invalid(`the body is not JSON: ${messageOf(error)}`);
  }
}

/**
 * Returns the body's text up to the end of its first JSON value, with 0.5 in place of each number that has a fraction
 * or an exponent. The function does not check whether the text is valid JSON, because `JSON.parse` does so later. In a
 * large body, the function pauses from time to time, so that other requests can run.
 */
async function firstValue(text: string): Promise<string> {
  const pause = pausing(PARTS_PER_MS, systemClock);
  // The pattern finds the beginning of a string, the beginning or end of a list or object, the comma before the next
  // member, and a word or number.
  const parts = /"|[[{][ \t\r\n]*[\]}]?|[\]},]|[\w.+-]+/g;
  // For each list and object that is open at the current place: the number of its members so far. The first entry of
  // this array stands for the body itself.
  const open = [1];
  let values = 1;
  let json = '';
  let copied = 0;
  do {
    const found = parts.exec(text);
    if (found === null) return json + text.slice(copied);
    const [part] = found;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
    if (part === '"') {
      parts.lastIndex = endOfString(text, found.index);
    } else if (part === ',') {
      values++;
      const members = (open.pop() ?? 0) + 1;
      if (members > MAX_MEMBERS) {
        throw tooLarge(`expected at most ${MAX_MEMBERS} items in a list, and members of an object`);
      }
      open.push(members);
    } else if (part === ']' || part === '}') {
      open.pop();
    } else if (part.startsWith('[') || part.startsWith('{')) {
      if (open.length > MAX_DEPTH) throw invalid(`the body is nested deeper than ${MAX_DEPTH}`);
      if (/[\]}]$/.test(part)) continue;
      values++;
      open.push(1);
    } else if (/[.eE]/.test(part) && JSON_NUMBER.test(part)) {
      json += `${text.slice(copied, found.index)}0.5`;
      copied = parts.lastIndex;
    }
    if (values > MAX_VALUES) throw tooLarge(`the body holds more than ${MAX_VALUES} values`);
  } while (open.length > 1);
  return json + text.slice(copied, parts.lastIndex);
}

/** Returns the position behind the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
