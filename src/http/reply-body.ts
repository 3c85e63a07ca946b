import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** The body exceeds its limit; the rest of it was not read. */
export class BodyTooLarge extends Error {}

/** The body is complete, and cannot be decompressed. */
export class BodyNotReadable extends Error {}

/** Names of encodings are the same in capitals. */
const GZIP = /^(?:x-)?gzip$/i;

/**
 * Reads a body to its end, and decompresses gzip off the event loop. Rejects with {@link BodyTooLarge} as soon as there
 * are more than `maxBytes` after decompression.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  encoding: string | string[] | undefined,
  maxBytes: number,
): Promise<Buffer> {
  if (typeof encoding !== 'string' || !GZIP.test(encoding.trim())) return collected(body, maxBytes);
  let failure: unknown;
  const collect = (chunks: AsyncIterable<Uint8Array>) =>
    collected(chunks, maxBytes).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  try {
    return await pipeline(body, createGunzip(), collect);
  } catch (error) {
    // The pipeline may report only that it was aborted, and not the failure that caused it.
    const cause = failure ?? error;
    const isOfGzip = cause instanceof Error && 'code' in cause && /^Z_/.test(String(cause.code));
    throw isOfGzip ? new BodyNotReadable(`no gzip, or cut short: ${cause.message}`) : cause;
  }
}

async function collected(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop destroys the body and its connection.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
