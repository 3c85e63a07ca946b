import { expect, it } from 'vitest';
import { sendableEtag } from '../../src/snapshot/wire.js';

it.each([
  ['"abc"', '"abc"'],
  ['W/"abc"', 'W/"abc"'],
  ['f1d2', 'f1d2'],
  ['\u00e9', '\u00e9'],
  ['', undefined],
  ['a\r\nb: c', undefined],
  ['a\0', undefined],
  ['\u65e5', undefined],
  ['x'.repeat(1_001), undefined],
  [['a', 'b'], undefined],
  [undefined, undefined],
])('the ETag %j is sent back as %j', (etag, sent) => {
  expect(sendableEtag(etag)).toBe(sent);
});
