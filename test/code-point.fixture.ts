import fc from 'fast-check';

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/**
 * The unit for strings of any characters. fast-check's own unit `binary` keeps a table of all million characters, which
 * takes a second to make.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES).map(
  (at) => String.fromCodePoint(at < FIRST_SURROGATE ? at : at + SURROGATES),
  (character) => {
    const code = typeof character === 'string' ? character.codePointAt(0) : undefined;
    if (code === undefined || character !== String.fromCodePoint(code))
      throw new Error('no single character');
    return code < FIRST_SURROGATE ? code : code - SURROGATES;
  },
);
