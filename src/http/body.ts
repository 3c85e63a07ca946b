import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { HttpDispatcherResponse } from '../options/provider-options.js';

/** The body exceeds its limit; the rest of it was not read. */
export class TooLarge extends Error {}

/**
 * Reads a body to its end, and decompresses gzip off the event loop. Rejects with {@link TooLarge} as soon as there are
 * more than `maxBytes` after decompression.
 */
export async function readBody(
  { headers, body }: Pick<HttpDispatcherResponse, 'headers' | 'body'>,
  maxBytes: number,
): Promise<Buffer> {
  if (!isGzip(headers['content-encoding'])) return collected(body, maxBytes);
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
    throw failure ?? error;
  }
}

/** Names of encodings are the same in capitals. */
function isGzip(encoding: string | string[] | undefined): boolean {
  return typeof encoding === 'string' && /^(?:x-)?gzip$/i.test(encoding.trim());
}

async function collected(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop destroys the body and its connection.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
