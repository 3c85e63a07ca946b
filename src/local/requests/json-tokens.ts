import { quoted } from '../../text/quote.js';
import { invalid } from './refusal.js';

const WHITE_SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /(?:null|true|false)/y;
/** A number with a fraction or an exponent. */
const FRACTION = /[0-9][.eE]/;
/** Characters that may not follow a number or a word. */
const SAME_TOKEN = /[\w.+-]/;

/** Reads a JSON text from its beginning. Throws a refusal if the text is not JSON. */
export class Tokens {
  private position = 0;

  constructor(private readonly text: string) {}

  /** The first character after white space; `undefined` at the end. */
  next(): string | undefined {
    this.match(WHITE_SPACE);
    return this.text[this.position];
  }

  takes(character: string): boolean {
    if (this.next() !== character) return false;
    this.position++;
    return true;
  }

  expect(character: string): void {
    if (!this.takes(character)) throw this.unexpected();
  }

  string(): string {
    if (this.next() !== '"') throw this.unexpected();
    const end = endOfString(this.text, this.position);
    try {
      const text: unknown = JSON.parse(this.text.slice(this.position, end));
      this.position = end;
      return String(text);
    } catch {
      throw this.unexpected();
    }
  }

  /** A number with a fraction or an exponent becomes 0.5. */
  scalar(): unknown {
    if (this.next() === '"') return this.string();
    const token = this.match(NUMBER) || this.match(WORD);
    if (token === '' || SAME_TOKEN.test(this.text[this.position] ?? '')) throw this.unexpected();
    return FRACTION.test(token) ? 0.5 : JSON.parse(token);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const [found = ''] = pattern.exec(this.text) ?? [];
    this.position += found.length;
    return found;
  }

  private unexpected(): Error {
    const found = this.text[this.position];
    return invalid(
      found === undefined
        ? 'the body is not JSON: unexpected end'
        : `the body is not JSON: unexpected ${quoted(found)} at position ${this.position}`,
    );
  }
}

/** The position after a string that begins at `start`. */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (json[quote - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
