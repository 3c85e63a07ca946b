import type { Steps } from '../../base/time/pausable-steps.js';
import { checkLevels, checkRest, checkText, checkValues, MOST_REST_BYTES } from './body-limits.js';
import { InvalidBody, parsed } from './invalid-body.js';

export const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
export const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** The space, the tab and the ends of lines. */
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Bytes that are looked at in one step: about a millisecond. */
const BYTES_OF_STEP = 512 * 1024;
/** A value takes as long as so many bytes, however short it is. */
const BYTES_OF_VALUE = 256;

/** Bytes that `JSON.parse` gets at once: a millisecond. */
const BYTES_AT_ONCE = 64 * 1024;
/** Members of a large object. One with so many cannot be built in steps. */
const MOST_MEMBERS = 10_000;

/** Finds the ends of values in a body, which need not be valid JSON. Nothing is kept of them. */
export function scanner(body: Buffer) {
  /** Where the next step begins. */
  let stepAt = BYTES_OF_STEP;

  return {
    skipSpace(start: number): number {
      let at = start;
      for (; SPACES.has(body[at]); at++) checkRest(at - start);
      return at;
    },
    /** The place after a name. */
    nameAt(quote: number): number {
      const start = quote + 1;
      const end = endOfText(body, start, Math.min(body.length, start + MOST_REST_BYTES + 1));
      checkRest(end - start);
      return expectByte(body, end, QUOTE);
    },
    /** The value that begins here, in steps. `place` names it in the message of a value that costs too much. */
    *valueAt(start: number, place: string): Steps<Scan> {
      const scan: Scan = { end: start, levels: 0, values: 1, textAt: -1 };
      stepAt -= BYTES_OF_VALUE;
      while (!scanUntil(body, scan, stepAt, place)) {
        if (scan.end >= body.length) return cutShort();
        stepAt = scan.end + BYTES_OF_STEP;
        yield;
      }
      return scan;
    },
  };
}

/** What was found of a value until now, of which this is the end. */
interface Scan {
  end: number;
  levels: number;
  /** How many values are in it. */
  values: number;
  /** Where the text began that has not ended yet; negative outside of texts. */
  textAt: number;
}

/**
 * Goes on with a value, until about this place. The result says whether the value's end was found. This is no
 * generator, because its loop would be ten times as slow in a new process. It compares with numbers, because a bundle
 * makes variables of constants.
 */
function scanUntil(body: Buffer, scan: Scan, until: number, place: string): boolean {
  let { end: at, levels, values, textAt } = scan;
  let isFound = false;
  const stop = Math.min(until, body.length);
  while (at < stop && !isFound) {
    if (textAt >= 0) {
      at = endOfText(body, at, stop);
      checkText(at - textAt, place);
      if (at >= stop) break;
      textAt = -1;
      at++;
      continue;
    }
    switch (body[at++]) {
      case 0x22: // "
        textAt = at;
        break;
      case 0x5b: // [
      case 0x7b: // {
        checkLevels(++levels, place);
        checkValues(++values, place);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        // The end of the list or object that holds the value is no part of it.
        if (levels === 0) at--;
        else levels--;
        isFound = levels === 0;
        break;
      case 0x2c: // ,
        isFound = levels === 0;
        if (isFound) at--;
        else checkValues(++values, place);
        break;
      default:
    }
  }
  scan.end = at;
  scan.levels = levels;
  scan.values = values;
  scan.textAt = textAt;
  return isFound;
}

/** The place of the quote (0x22) that ends a text, or a place that is not before `stop`. 0x5c is the backslash. */
function endOfText(body: Buffer, start: number, stop: number): number {
  let at = start;
  for (; at < stop; at++) {
    const byte = body[at];
    if (byte === 0x22) return at;
    if (byte === 0x5c) at++;
  }
  return at;
}

/** The place after the byte, which must be this one. */
export function expectByte(body: Buffer, at: number, byte: number): number {
  if (at >= body.length) return cutShort();
  if (body[at] !== byte) throw new InvalidBody(`not JSON: no ${String.fromCharCode(byte)} at byte ${at}`);
  return at + 1;
}

function cutShort(): never {
  throw new InvalidBody('not JSON: the body ends too early');
}

/** The JSON value between two bytes, in steps if it is long. Throws {@link InvalidBody} with the place. */
export function* jsonInSteps(body: Buffer, start: number, end: number, place: string): Steps<unknown> {
  if (end - start > BYTES_AT_ONCE && [OPEN_LIST, OPEN_OBJECT].includes(body[start] ?? 0))
    return yield* listOrObject(body, start, place);
  return parsed(body.toString('utf8', start, end), place);
}

function* listOrObject(body: Buffer, start: number, place: string): Steps<unknown> {
  const isList = body[start] === OPEN_LIST;
  const names: string[] = [];
  const values: unknown[] = [];
  const scan = scanner(body);
  let at = scan.skipSpace(start + 1);
  let next = at;
  for (let stepAt = start; body[next] !== (isList ? CLOSE_LIST : CLOSE_OBJECT);) {
    if (values.length > 0) at = scan.skipSpace(expectByte(body, next, COMMA));
    if (!isList) {
      const nameEnd = scan.nameAt(expectByte(body, at, QUOTE) - 1);
      names.push(parsed(body.toString('utf8', at, nameEnd), place) as string);
      if (names.length > MOST_MEMBERS) throw new InvalidBody(`${place}: more than ${MOST_MEMBERS} members`);
      at = scan.skipSpace(expectByte(body, scan.skipSpace(nameEnd), COLON));
    }
    const { end } = yield* scan.valueAt(at, place);
    values.push(yield* jsonInSteps(body, at, end, place));
    if (end - stepAt > BYTES_AT_ONCE) {
      yield;
      stepAt = end;
    }
    next = scan.skipSpace(end);
  }
  // Of two equal names the last one counts, as with JSON.parse.
  return isList ? values : Object.fromEntries(names.map((name, member) => [name, values[member]]));
}
