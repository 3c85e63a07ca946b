import { pipeline } from 'node:stream/promises';
import { nodeModules } from '../base/node-modules.js';
import type { Reply } from './reply.js';

/**
 * The error of a body that exceeds its limit, or cannot be decompressed. The message says what is wrong with the body,
 * and can be shown.
 */
export class UnreadableBody extends Error {}

/** Capital letters make no difference in the name of an encoding. */
const GZIP = /^(?:x-)?gzip$/i;

/**
 * The buffer for a body has at most this many times the length of what has arrived, whatever length the headers name.
 */
const MOST_GROWTH = 8;

/**
 * Reads a body to its end, and decompresses gzip off the event loop. Rejects with {@link UnreadableBody} as soon as the
 * body has more than `maxBytes` after decompression.
 */
export async function bodyBytes(
  body: AsyncIterable<Uint8Array>,
  { 'content-encoding': encoding, 'content-length': length }: Reply['headers'],
  maxBytes: number,
): Promise<Buffer> {
  if (typeof encoding !== 'string' || !GZIP.test(encoding.trim())) {
    return collected(body, maxBytes, Number(length));
  }
  let failure: unknown;
  const collect = (chunks: AsyncIterable<Uint8Array>) =>
    collected(chunks, maxBytes).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  try {
    return await pipeline(body, nodeModules.zlib.createGunzip(), collect);
  } catch (error) {
    // The pipeline might report only that it was aborted, and not the failure that caused the abort.
    const cause = failure ?? error;
    const isOfGzip = cause instanceof Error && 'code' in cause && /^Z_/.test(String(cause.code));
    if (!isOfGzip) throw cause;
    throw new UnreadableBody(
      `an unreadable response: the body is not gzip, or was cut short: ${cause.message}`,
    );
  }
}

/**
 * Collects a body in one buffer that grows. If each chunk had one byte, a list of chunks would take many times the
 * memory of the body, and joining the chunks would block the event loop. `likely` is the length of the body according
 * to the headers, or NaN if the headers name no length.
 */
async function collected(body: AsyncIterable<Uint8Array>, maxBytes: number, likely = NaN): Promise<Buffer> {
  let all: Uint8Array = new Uint8Array();
  let bytes = 0;
  // Leaving the loop destroys the body and its connection.
  for await (const chunk of body) {
    const end = bytes + chunk.length;
    if (end > maxBytes) throw new UnreadableBody(`more than the allowed ${maxBytes / 1024 / 1024} MB`);
    if (bytes === 0) {
      // Most bodies have one chunk. A single chunk is used without a copy; nothing is written into that chunk later,
      // because it is full.
      all = chunk;
    } else {
      if (end > all.length) {
        const wanted = end <= likely ? Math.min(likely, MOST_GROWTH * end) : 2 * end;
        const larger = Buffer.allocUnsafe(Math.min(wanted, maxBytes));
        larger.set(all.subarray(0, bytes));
        all = larger;
      }
      all.set(chunk, bytes);
    }
    bytes = end;
  }
  return Buffer.from(all.buffer, all.byteOffset, bytes);
}
