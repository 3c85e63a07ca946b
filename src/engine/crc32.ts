import { nodeModules } from '../base/node-modules.js';

/**
 * The checksums of all 256 bytes. The table is computed at the first call of `crc32` that needs it, and not when the
 * package is loaded, because computing the table takes a third of a millisecond.
 */
let table: Int32Array | undefined;

function checksumsOfBytes(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    return rest;
  });
}

/** For a text of more than this number of characters, `zlib.crc32` is faster than the JavaScript below. */
const SHORT = 32;

/**
 * Returns the CRC-32 (IEEE) of the text in UTF-8. `before` is the checksum of the text that precedes `text`, so that
 * callers can compute the checksum of a common beginning once and use it many times. For a short text in ASCII, as most
 * keys are, this function is about four times as fast as node:zlib.
 */
export function crc32(text: string, before = 0): number {
  if (text.length > SHORT) return nodeModules.zlib.crc32(text, before);
  table ??= checksumsOfBytes();
  let rest = ~before;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return nodeModules.zlib.crc32(text, before);
    rest = (table[(rest ^ code) & 255] ?? 0) ^ (rest >>> 8);
  }
  return ~rest >>> 0;
}
