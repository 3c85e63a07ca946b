import type { Steps } from '../../base/time/pausable-steps.js';
import { keyedSchema } from './body-schema.js';
import { checked, InvalidBody, parsed } from './invalid-body.js';
import { checkText, MOST_TEXT_BYTES } from './text-limits.js';

/** The place of a flag's text in a body, in bytes. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** The body of a snapshot, cut into the texts of its flags. */
export interface CutBody {
  /**
   * The places of the flags' texts by the keys of the flags, in the order of the body. If several flags have the same
   * key, only the last of these flags counts, as in Flipt.
   */
  readonly places: ReadonlyMap<string, Place>;
  /** The keys that more than one flag of the body has. */
  readonly repeated: ReadonlySet<string>;
  /** The text of the body with an empty list in place of the flags. */
  readonly rest: string;
}

const MOST_FLAGS = 200_000;
/** One step of cutting looks at this many bytes, which takes about a millisecond. */
const BYTES_OF_STEP = 512 * 1024;
/** Reading the key of a flag takes about as long as looking at this many bytes. */
const BYTES_OF_KEY = 512;

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT] = [0x5b, 0x5d, 0x7b];

/**
 * Cuts a body into the texts of its flags, in steps. The function does not check whether the texts are valid flags,
 * because each text is checked when its flag is read. Throws {@link InvalidBody} if a flag has no key, because the
 * provider could not ask the service about such a flag. The function also throws {@link InvalidBody} in other cases,
 * for example if the body has too many flags or too much text beside the flags, or if the function finds that the body
 * is not JSON.
 */
export function* cutBody(body: Buffer): Steps<CutBody> {
  const cut = new Cut(body);
  let at = afterSpace(body, after(body, afterSpace(body, 0), OPEN_OBJECT));
  while (body[at] === QUOTE) {
    const nameEnd = yield* cut.valueEnd(at);
    const start = afterSpace(body, after(body, afterSpace(body, nameEnd), COLON));
    if (body[start] === OPEN_LIST && body.toString('utf8', at, nameEnd) === '"flags"') {
      const { end, ...flags } = yield* cut.flags(start);
      checkLength(start + body.length - end, 'what is beside the flags');
      return { ...flags, rest: `${body.toString('utf8', 0, start)}[]${body.toString('utf8', end)}` };
    }
    const end = yield* cut.valueEnd(start);
    checkLength(end, 'what is beside the flags');
    at = afterSpace(body, end);
    if (body[at] === COMMA) at = afterSpace(body, at + 1);
  }
  checkLength(body.length, 'what is beside the flags');
  return { places: new Map(), repeated: new Set(), rest: body.toString('utf8') };
}

/** Finds where the values in a body end, without checking whether the body is valid JSON. */
class Cut {
  /** The position in the body at which the next step begins. */
  private stepAt = BYTES_OF_STEP;

  constructor(private readonly body: Buffer) {}

  *flags(list: number): Steps<Pick<CutBody, 'places' | 'repeated'> & { readonly end: number }> {
    const { body } = this;
    const places = new Map<string, Place>();
    const repeated = new Set<string>();
    let at = afterSpace(body, list + 1);
    if (body[at] === CLOSE_LIST) return { places, repeated, end: at + 1 };
    for (let position = 0; ; position++) {
      if (position === MOST_FLAGS) throw new InvalidBody(`more than ${MOST_FLAGS} flags`);
      // An item of the list that is not an object is no flag. The end of an item that is no flag is not searched for,
      // because the item can be as long as the whole body.
      if (body[at] !== OPEN_OBJECT) return notAFlag(body, at, position);
      const end = yield* this.valueEnd(at);
      const place = { start: at, end };
      const key = keyAt(body, place, position);
      if (places.has(key)) repeated.add(key);
      places.set(key, place);
      this.stepAt -= BYTES_OF_KEY;
      const next = afterSpace(body, end);
      if (body[next] === CLOSE_LIST) return { places, repeated, end: next + 1 };
      at = afterSpace(body, after(body, next, COMMA));
    }
  }

  /** Returns the position after the value that begins at `start`. */
  *valueEnd(start: number): Steps<number> {
    const scan: Scan = { at: start, levels: 0, isText: false };
    while (!scanUntil(this.body, scan, this.stepAt)) {
      if (scan.at >= this.body.length) return cutShort();
      this.stepAt = scan.at + BYTES_OF_STEP;
      yield;
    }
    return scan.at;
  }
}

/** How far the search for the end of a value has come. */
interface Scan {
  at: number;
  /** The number of lists and objects that are open at the position `at`. */
  levels: number;
  isText: boolean;
}

/**
 * Continues the search for the end of a value up to about the position `until`, and returns whether the end was found.
 * This function is no generator, because in a generator, its loop would be ten times as slow in a new process. The
 * function compares bytes with numbers and not with named constants, because a bundler turns named constants into
 * variables.
 */
function scanUntil(body: Buffer, scan: Scan, until: number): boolean {
  const stop = Math.min(until, body.length);
  let { at, levels, isText } = scan;
  let isFound = false;
  while (at < stop && !isFound) {
    if (isText) {
      while (at < stop && body[at] !== 0x22) at += body[at] === 0x5c ? 2 : 1;
      if (at >= stop) break;
      at++;
      isText = false;
      isFound = levels === 0;
      continue;
    }
    switch (body[at++]) {
      case 0x22: // "
        isText = true;
        break;
      case 0x5b: // [
      case 0x7b: // {
        levels++;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        // The bracket that ends the list or object around the value does not belong to the value.
        if (levels === 0) at--;
        else levels--;
        isFound = levels === 0;
        break;
      case 0x2c: // ,
        isFound = levels === 0;
        if (isFound) at--;
        break;
      default:
    }
  }
  scan.at = at;
  scan.levels = levels;
  scan.isText = isText;
  return isFound;
}

/** Matches the beginning of a flag whose first member is its key, as Flipt writes a flag. */
const KEY_FIRST = /^\{\s*"key"\s*:\s*("(?:[^"\\]|\\.)+")/;
const LENGTH_OF_BEGINNING = 256;

function keyAt(body: Buffer, { start, end }: Place, position: number): string {
  const beginning = body.toString('utf8', start, Math.min(end, start + LENGTH_OF_BEGINNING));
  const written = KEY_FIRST.exec(beginning)?.[1];
  const place = `flags[${position}]`;
  if (written !== undefined) return String(parsed(written, place));
  const text = checkText(body.subarray(start, end), `${place}: a flag that does not begin with its key`);
  return checked(parsed(text, place), keyedSchema, place).key;
}

function notAFlag(body: Buffer, at: number, position: number): never {
  const beginning = body.toString('utf8', at, at + LENGTH_OF_BEGINNING);
  const kind = body[at] === OPEN_LIST ? '[]' : body[at] === QUOTE ? '""' : /^[^\s,\]}]*/.exec(beginning)?.[0];
  const place = `flags[${position}]`;
  checked(parsed(kind ?? '', place), keyedSchema, place);
  throw new InvalidBody(`${place}: not JSON`);
}

/**
 * Returns the position of the first byte from `start` on that is not white space. White space is spaces, tabs and ends
 * of lines.
 */
function afterSpace(body: Buffer, start: number): number {
  for (let at = start; ; at++) {
    const byte = body[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    checkLength(at - start, 'white space');
  }
}

/** Returns the position after the byte at `at`. Throws {@link InvalidBody} if the byte at `at` is not `byte`. */
function after(body: Buffer, at: number, byte: number): number {
  if (at >= body.length) return cutShort();
  if (body[at] !== byte) throw new InvalidBody(`not JSON: no ${String.fromCharCode(byte)} at byte ${at}`);
  return at + 1;
}

function cutShort(): never {
  throw new InvalidBody('not JSON: the body ends too early');
}

function checkLength(bytes: number, what: string): void {
  if (bytes > MOST_TEXT_BYTES) throw new InvalidBody(`${what}: more than ${MOST_TEXT_BYTES} bytes`);
}
