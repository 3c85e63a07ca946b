import { InvalidBody } from './invalid-body.js';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE: ReadonlySet<number | undefined> = new Set([0x20, 0x0a, 0x0d, 0x09]);
const FLAGS = '"flags"';

/** Where a piece of the body begins and ends, in bytes. */
export type Piece = readonly [start: number, end: number];

/**
 * Cuts a body between its flags, so that megabytes are not parsed all at once. Yields the place of each flag, and
 * returns the text of the rest, with an empty list of flags. The pieces are not checked: `JSON.parse` does that later.
 */
export function* flagPieces(body: Buffer): Generator<Piece, string> {
  let at = skipSpace(body, expectByte(body, skipSpace(body, 0), OPEN_OBJECT));
  while (body[at] === QUOTE) {
    const nameEnd = endOfString(body, at);
    const name = body.toString('utf8', at, nameEnd);
    const start = skipSpace(body, expectByte(body, skipSpace(body, nameEnd), COLON));
    if (name === FLAGS && body[start] === OPEN_LIST) {
      const end = yield* elements(body, start);
      return `${body.toString('utf8', 0, start)}[]${body.toString('utf8', end)}`;
    }
    at = skipSpace(body, endOfValue(body, start));
    if (body[at] === COMMA) at = skipSpace(body, at + 1);
  }
  return body.toString('utf8');
}

/** Yields the place of each item of a list, and returns the end of the list. */
function* elements(body: Buffer, list: number): Generator<Piece, number> {
  let at = skipSpace(body, list + 1);
  if (body[at] === CLOSE_LIST) return at + 1;
  for (;;) {
    const end = endOfValue(body, at);
    yield [at, end];
    const next = skipSpace(body, end);
    if (body[next] === CLOSE_LIST) return next + 1;
    at = skipSpace(body, expectByte(body, next, COMMA));
  }
}

/** The place after a value, which need not be valid. */
function endOfValue(body: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at) - 1;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
  }
  return cutShort();
}

function endOfString(body: Buffer, quote: number): number {
  for (let at = quote + 1; at < body.length; at++) {
    const byte = body[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return cutShort();
}

function skipSpace(body: Buffer, start: number): number {
  let at = start;
  while (SPACE.has(body[at])) at++;
  return at;
}

function expectByte(body: Buffer, at: number, byte: number): number {
  if (at >= body.length) return cutShort();
  if (body[at] !== byte) throw new InvalidBody(`not JSON: no ${String.fromCharCode(byte)} at byte ${at}`);
  return at + 1;
}

function cutShort(): never {
  throw new InvalidBody('not JSON: the body ends too early');
}
