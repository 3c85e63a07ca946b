import type { Steps } from '../../time/pausable-steps.js';
import { InvalidBody, parsed } from './invalid-body.js';
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  expectByte,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  scanner,
} from './scan-json.js';

/** Bytes that `JSON.parse` gets at once: a millisecond. */
const BYTES_AT_ONCE = 64 * 1024;
/** Members of a large object. One with so many cannot be built in steps. */
const MOST_MEMBERS = 10_000;

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
      if (at > from) addAll(items, body.toString('utf8', from, lastComma(body, at)), place);
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

/** The place of the comma before an item. */
function lastComma(body: Buffer, at: number): number {
  return body.lastIndexOf(COMMA, at - 1);
}

function* object(body: Buffer, start: number, place: string): Steps<object> {
  const entries: (readonly [string, unknown])[] = [];
  const scan = scanner(body);
  let at = scan.skipSpace(start + 1);
  if (body[at] === CLOSE_OBJECT) return {};
  for (;;) {
    const nameEnd = scan.nameAt(expectName(body, at));
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

function expectName(body: Buffer, at: number): number {
  return expectByte(body, at, QUOTE) - 1;
}
