import type { IncomingMessage } from 'node:http';
import { invalid, tooLarge } from '../requests/refused-request.js';

/** The whole body as text. Throws a 413 as soon as the body is known to be too large. */
export async function requestText(request: IncomingMessage, maxBytes: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw larger(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) chunks.push(chunk);
      else reject(larger(maxBytes));
    });
    request.on('end', () => {
      resolve(Buffer.concat(chunks).toString());
    });
    request.on('error', () => {
      reject(invalid('the request ended before its body did'));
    });
  });
}

function larger(bytes: number): Error {
  return tooLarge(`the request's body is larger than ${bytes} bytes`);
}
