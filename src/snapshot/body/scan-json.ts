import type { Steps } from '../../time/pausable-steps.js';
import { checkLevels, checkRest, checkText, checkValues } from './body-limits.js';
import { InvalidBody, parsed } from './invalid-body.js';

export const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
export const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const [SPACE, TAB, LINE_FEED, RETURN] = [0x20, 0x09, 0x0a, 0x0d];

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
      for (; isSpace(body[at]); at++) checkRest(at - start);
      return at;
    },
    /** The place after a name. */
    nameAt(quote: number): number {
      for (let at = quote + 1; at < body.length; at++) {
        const byte = body[at];
        if (byte === QUOTE) return at + 1;
        if (byte === BACKSLASH) at++;
        checkRest(at - quote);
      }
      return cutShort();
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
 * Goes on with a value, until about this place. Whether its end was found. The loop is in no generator, which would run
 * it ten times as slowly in a new process, and compares with numbers: a bundle makes variables of constants.
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

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB;
}

function cutShort(): never {
  throw new InvalidBody('not JSON: the body ends too early');
}

/** The JSON value between two bytes, in steps if it is long. Throws {@link InvalidBody} with the place. */
export function* jsonInSteps(body: Buffer, start: number, end: number, place: string): Steps<unknown> {
  if (end - start > BYTES_AT_ONCE) {
    if (body[start] === OPEN_LIST) return yield* list(body, start, place);
    if (body[start] === OPEN_OBJECT) return yield* object(body, start, place);
  }
  return parsed(body.toString('utf8', start, end), place);
}

function* list(body: Buffer, start: number, place: string): Steps<unknown[]> {
  const items: unknown[] = [];
  const scan = scanner(body);
  let from = scan.skipSpace(start + 1);
  if (body[from] === CLOSE_LIST) return items;
  /** Short items before the one at `at` are parsed together with it. */
  for (let at = from; ;) {
    const { end } = yield* scan.valueAt(at, place);
    // An item without text is no JSON.
    if (end === at) parsed('', place);
    const next = scan.skipSpace(end);
    const isLast = body[next] === CLOSE_LIST;
    if (end - at > BYTES_AT_ONCE) {
      if (at > from) addAll(items, body.toString('utf8', from, body.lastIndexOf(COMMA, at - 1)), place);
      items.push(yield* jsonInSteps(body, at, end, place));
      yield;
      from = -1;
    } else if (end - from > BYTES_AT_ONCE || isLast) {
      addAll(items, body.toString('utf8', from, end), place);
      yield;
      from = -1;
    }
    if (isLast) return items;
    at = scan.skipSpace(expectByte(body, next, COMMA));
    if (from === -1) from = at;
  }
}

function addAll(items: unknown[], texts: string, place: string): void {
  const more = parsed(`[${texts}]`, place) as unknown[];
  for (const item of more) items.push(item);
}

function* object(body: Buffer, start: number, place: string): Steps<object> {
  const entries: (readonly [string, unknown])[] = [];
  const scan = scanner(body);
  let at = scan.skipSpace(start + 1);
  if (body[at] === CLOSE_OBJECT) return {};
  for (;;) {
    const nameEnd = scan.nameAt(expectByte(body, at, QUOTE) - 1);
    const name = parsed(body.toString('utf8', at, nameEnd), place) as string;
    const value = scan.skipSpace(expectByte(body, scan.skipSpace(nameEnd), COLON));
    const { end } = yield* scan.valueAt(value, place);
    entries.push([name, yield* jsonInSteps(body, value, end, place)]);
    yield;
    if (entries.length > MOST_MEMBERS) throw new InvalidBody(`${place}: more than ${MOST_MEMBERS} members`);
    const next = scan.skipSpace(end);
    // Of two equal names the last one counts, as with JSON.parse.
    if (body[next] === CLOSE_OBJECT) return Object.fromEntries(entries);
    at = scan.skipSpace(expectByte(body, next, COMMA));
  }
}
