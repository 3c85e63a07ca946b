import { crc32 as nativeCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/engine/crc32.js';
import { codePoint } from '../code-point.fixture.js';

const text = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: codePoint, maxLength: 60 }));

describe('a checksum', () => {
  it('equals that of node:zlib for any text', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(crc32(any)).toBe(nativeCrc32(any));
      }),
    );
  });

  it('goes on from that of the text in front', () => {
    fc.assert(
      fc.property(text, text, (front, back) => {
        expect(crc32(back, crc32(front))).toBe(nativeCrc32(back, nativeCrc32(front)));
      }),
    );
    expect(crc32('entity', crc32('flag-'))).toBe(nativeCrc32('flag-entity'));
  });

  it.each(['', 'a', 'x'.repeat(32), 'x'.repeat(33), '\u007f', '\u0080', 'é', '🎈', `${'x'.repeat(31)}é`])(
    'of %j is exact',
    (exact) => {
      expect(crc32(exact)).toBe(nativeCrc32(exact));
    },
  );
});
