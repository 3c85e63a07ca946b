import type * as v from 'valibot';
import { sharingTurns, type BusyClock } from '../base/time/turns.js';
import { checked, InvalidBody, keyedSchema, MOST_TEXT_BYTES, parsedText, restSchema } from './wire.js';

/** A snapshot's JSON text, cut into flags that are not parsed yet. `JSON.parse` of 10,000 flags takes 0.7 s in one turn. */
export interface Body {
  readonly texts: ReadonlyMap<string, Buffer>;
  /** Keys that several flags have. Flipt evaluates the last one, and so do `texts`. */
  readonly repeated: ReadonlySet<string>;
  readonly rest: v.InferOutput<typeof restSchema>;
}

// A flag that is only `{"key":"a"}` takes twenty times its length in memory.
const MOST_FLAGS = 200_000;

const [QUOTE, COMMA, COLON, BACKSLASH] = [0x22, 0x2c, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Throws an {@link InvalidBody}. What is wrong inside of a flag shows only when the flag is read. */
export async function cutBody(bytes: Buffer, clock: BusyClock): Promise<Body> {
  const scanner = new Scanner(bytes);
  const others: Buffer[] = [];
  let flags: Pick<Body, 'texts' | 'repeated'> = { texts: new Map(), repeated: new Set() };
  scanner.take(OPEN_OBJECT);
  if (scanner.peek() !== CLOSE_OBJECT) {
    do {
      const name = scanner.value();
      scanner.take(COLON);
      const isFlags = scanner.peek() === OPEN_LIST && name.toString() === '"flags"';
      if (isFlags && flags.texts.size > 0) throw new InvalidBody('flags: expected one list "flags"');
      if (isFlags) flags = await cutFlags(scanner, clock);
      others.push(Buffer.concat([name, Buffer.from(':'), isFlags ? Buffer.from('[]') : scanner.value()]));
    } while (scanner.takes(COMMA));
  }
  scanner.take(CLOSE_OBJECT);
  if (scanner.peek() !== undefined) scanner.fail();
  const rest = Buffer.from(`{${others.map(String).join()}}`);
  return { ...flags, rest: checkedRest(parsedText(rest, 'what is beside the flags')) };
}

export function checkedRest(rest: unknown): Body['rest'] {
  return checked(rest, restSchema, '');
}

async function cutFlags(scanner: Scanner, clock: BusyClock): Promise<Pick<Body, 'texts' | 'repeated'>> {
  const texts = new Map<string, Buffer>();
  const repeated = new Set<string>();
  const pause = sharingTurns(clock);
  scanner.take(OPEN_LIST);
  if (scanner.takes(CLOSE_LIST)) return { texts, repeated };
  let position = 0;
  do {
    if (position === MOST_FLAGS) throw new InvalidBody(`more than ${MOST_FLAGS} flags`);
    const place = `flags[${position++}]`;
    if (scanner.peek() !== OPEN_OBJECT) throw new InvalidBody(`${place}: expected an object`);
    const text = scanner.value();
    const key = keyOf(text, place);
    if (texts.has(key)) repeated.add(key);
    texts.set(key, text);
    const turn = pause();
    if (turn !== undefined) await turn;
  } while (scanner.takes(COMMA));
  scanner.take(CLOSE_LIST);
  return { texts, repeated };
}

const KEY_FIRST = /^\{\s*"key"\s*:\s*("(?:[^"\\]|\\.)+")/;
const LENGTH_OF_BEGINNING = 256;

function keyOf(text: Buffer, place: string): string {
  const written = KEY_FIRST.exec(text.toString('utf8', 0, LENGTH_OF_BEGINNING))?.[1];
  if (written !== undefined) return String(parsedText(Buffer.from(written), place));
  if (text.length > MOST_TEXT_BYTES)
    throw new InvalidBody(`${place}: a long flag that does not begin with its key`);
  return checked(parsedText(text, place), keyedSchema, place).key;
}

class Scanner {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  fail(): never {
    const { at, bytes } = this;
    throw new InvalidBody(at < bytes.length ? `not JSON at byte ${at}` : 'not JSON: the body ends too early');
  }

  peek(): number | undefined {
    const { bytes } = this;
    while (isSpace(bytes[this.at])) this.at++;
    return bytes[this.at];
  }

  takes(byte: number): boolean {
    const isNext = this.peek() === byte;
    if (isNext) this.at++;
    return isNext;
  }

  take(byte: number): void {
    if (!this.takes(byte)) this.fail();
  }

  /** Strings and brackets are all that has to be known to find a value's end. */
  value(): Buffer {
    const { bytes } = this;
    const isNested = [QUOTE, OPEN_LIST, OPEN_OBJECT].includes(this.peek() ?? COMMA);
    const start = this.at;
    if (isNested) this.at = endOfNested(bytes, start);
    else while (isOfPlain(bytes[this.at])) this.at++;
    if (this.at === start || this.at > bytes.length) this.fail();
    return bytes.subarray(start, this.at);
  }
}

/** A number above the length if the value has no end. */
function endOfNested(bytes: Buffer, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const byte = bytes[at++];
    if (byte === QUOTE) {
      while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
      at++;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
  } while (depth > 0 && at < bytes.length);
  return depth > 0 ? bytes.length + 1 : at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isOfPlain(byte: number | undefined): boolean {
  return (
    byte !== undefined && byte !== COMMA && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT && !isSpace(byte)
  );
}
