import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { PageAsset } from '../operations/operation.js';
import type { SnapshotDocument } from '../snapshot/snapshot-document.js';
import { errorResponse } from './error-response.js';

const compressed = promisify(gzip);

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, JSON.stringify(body));
}

export function sendError(response: ServerResponse, error: unknown): void {
  const { status, code, message } = errorResponse(error);
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  sendJson(response, status, { code, message, details: [] });
}

/** What a request says about the document that its sender has already, and how it may be sent. */
export interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
}

/**
 * The tag has no quotes, and must come back byte for byte. A 304 names gzip, which it has no body for: both are the
 * service's ways.
 */
export async function sendDocument(
  response: ServerResponse,
  { version, text }: SnapshotDocument,
  { ifNoneMatch, acceptEncoding = '' }: Conditions,
): Promise<void> {
  if (version !== undefined) response.setHeader('ETag', version);
  const isCompressed = acceptsGzip(acceptEncoding);
  response.setHeader('Vary', 'Accept-Encoding');
  if (version !== undefined && ifNoneMatch === version) {
    response.writeHead(304, isCompressed ? { 'Content-Encoding': 'gzip' } : {}).end();
    return;
  }
  if (!isCompressed) {
    sendText(response, 200, text());
    return;
  }
  // The header after the work: an error in it is sent as it is.
  const body = await compressed(text());
  response.setHeader('Content-Encoding', 'gzip');
  sendText(response, 200, body);
}

export function sendText(response: ServerResponse, status: number, text: string | Buffer): void {
  const body = Buffer.from(text);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

/**
 * Nothing of another origin is loaded, no inline script runs, and no other page may put this one into a frame: a press
 * there would be one of the visitor's.
 */
const PAGE_HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function sendAsset(response: ServerResponse, { type, text }: PageAsset): void {
  const body = Buffer.from(text);
  response.writeHead(200, { ...PAGE_HEADERS, 'Content-Type': type, 'Content-Length': body.length });
  response.end(body);
}

/** A weight of 0 (`gzip;q=0`) says that it is not accepted. */
function acceptsGzip(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((coding) => {
    const [name = '', weight = 'q=1'] = coding.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && Number(weight.replace('q=', '')) > 0;
  });
}
