import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBody } from '../../../src/local/parsing/json-body.js';
import { Message } from '../../../src/local/parsing/proto-message.js';

/** So much white space makes a body long, so that the fast parser does not read it. */
const LONG = ' '.repeat(10_001);

const outcome = async (reading: Promise<unknown>): Promise<unknown> => {
  try {
    return { value: await reading };
  } catch (error) {
    return { refused: error instanceof Error && error.name };
  }
};
const REFUSED = { refused: 'Refusal' };

/** The service reads no fractions. The value here only must not be an integer. */
function withoutFractions(json: string): unknown {
  return JSON.parse(
    json.replace(/("(?:[^"\\]|\\.)*")|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
      return !token.startsWith('"') && /[.eE]/.test(token) ? '0.5' : token;
    }),
  );
}

const structure = fc.json({ maxDepth: 5 }).filter((text) => /^[[{]/.test(text));

describe('a body', () => {
  it('has the value of its JSON, whatever follows it', async () => {
    await fc.assert(
      fc.asyncProperty(structure, fc.string(), fc.boolean(), async (text, behind, long) => {
        const value = await parseBody(`${long ? LONG : ''}${text}${behind}`);
        expect(JSON.stringify(value)).toBe(JSON.stringify(withoutFractions(text)));
      }),
    );
  });

  it('is refused where it is cut short', async () => {
    await fc.assert(
      fc.asyncProperty(structure, fc.nat(), fc.boolean(), async (text, at, long) => {
        const cut = text.slice(0, 1 + (at % (text.length - 1)));
        expect(await outcome(parseBody(`${long ? LONG : ''}${cut}`))).toEqual(REFUSED);
      }),
    );
  });

  it('with any letter changed is accepted only if it is JSON, or begins with JSON', async () => {
    const letters = fc.constantFrom(...Array.from('{}[]",:\\ 0e.-n\u0000'));
    await fc.assert(
      fc.asyncProperty(structure, fc.nat(), letters, async (text, at, letter) => {
        const position = 1 + (at % text.length);
        const changed = text.slice(0, position) + letter + text.slice(position + 1);
        const prefixes = Array.from({ length: changed.length }, (_, index) => changed.slice(0, index + 1));
        const readable = prefixes.find(isJson);
        const expected = readable === undefined ? REFUSED : { value: withoutFractions(readable) };
        const read = await outcome(parseBody(`${LONG}${changed}`));
        expect(JSON.stringify(read)).toBe(JSON.stringify(expected));
      }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Real answers to `rank`, from test/recordings: the number read, or undefined for a 400. */
const INTEGERS: readonly (readonly [text: string, read: number | undefined])[] = [
  ['7', 7],
  [' 7', 7],
  ['7 ', 7],
  ['0', 0],
  ['-3', -3],
  ['05', undefined],
  ['100.0', undefined],
  ['1e2', undefined],
  ['', undefined],
  ['+1', undefined],
];

describe('a string of an integer', () => {
  const read = (text: string) => outcome((async () => Message.of({ rank: text }).integer('rank'))());

  it.each(INTEGERS)('%j is read as Flipt reads it', async (text, expected) => {
    expect(await read(text)).toEqual(expected === undefined ? REFUSED : { value: expected });
  });

  it('is any JSON integer of 32 bits, with spaces around it', async () => {
    const spaces = fc.stringMatching(/^ {0,3}$/);
    await fc.assert(
      fc.asyncProperty(spaces, fc.integer(), spaces, async (before, value, behind) => {
        expect(await read(`${before}${value}${behind}`)).toEqual({ value });
      }),
    );
  });

  it('is no other text', async () => {
    const near = fc.stringMatching(/^[ ]?[-+]?[0-9 .eEx\t]{0,4}[ ]?$/);
    await fc.assert(
      fc.asyncProperty(near, async (text) => {
        const digits = text.replace(/^ *| *$/g, '');
        const expected = isJson(digits) && /^-?\d+$/.test(digits) ? { value: Number(digits) } : REFUSED;
        expect(await read(text)).toEqual(expected);
      }),
    );
  });
});

describe('a timestamp', () => {
  const first = Date.parse('0001-01-01T00:00:00Z');
  const last = Date.parse('9999-12-31T23:59:59Z');

  it('is answered in UTC, with a fraction of 0, 3, 6 or 9 digits', () => {
    const seconds = fc.integer({ min: first / 1000, max: last / 1000 });
    const minutes = fc.integer({ min: -14 * 60, max: 14 * 60 });
    const digits = fc.stringMatching(/^\d{0,12}$/);
    fc.assert(
      fc.property(seconds, minutes, digits, (second, zone, fraction) => {
        const local = new Date((second + zone * 60) * 1000);
        fc.pre(local.getTime() >= first && local.getTime() <= last);
        const sign = zone < 0 ? '-' : '+';
        const two = (number: number) => String(Math.floor(Math.abs(number))).padStart(2, '0');
        const offset = `${sign}${two(Math.abs(zone) / 60)}:${two(Math.abs(zone) % 60)}`;
        const written = `${local.toISOString().slice(0, 19)}${fraction && `.${fraction}`}${offset}`;
        const answered = String(Message.of({ at: written }).timestamp('at'));
        const [, head, shown = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(answered) ?? [];
        expect(head).toBe(new Date(second * 1000).toISOString().slice(0, 19));
        expect([0, 3, 6, 9]).toContain(shown.length);
        expect(shown.padEnd(9, '0')).toBe(fraction.slice(0, 9).padEnd(9, '0'));
        expect(shown).not.toMatch(/000$/);
      }),
    );
  });

  it('is refused outside of the years 1 to 9999', () => {
    const before = fc.integer({ min: Date.parse('0000-01-01T00:00:00Z'), max: first - 1 });
    fc.assert(
      fc.property(before, (ms) => {
        const written = new Date(ms).toISOString();
        expect(() => Message.of({ at: written }).timestamp('at')).toThrow('in the years 1 to 9999');
      }),
    );
  });
});
