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

/** Which version of the document the client already has, and which encodings it accepts. */
export interface Conditions {
  readonly ifNoneMatch: string | undefined;
  readonly acceptEncoding: string | undefined;
}

/**
 * Two rules of the service: the tag has no quotes and must come back byte for byte, and a 304 names gzip although it
 * has no body.
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
  // Set after `text()`, because an error in that is sent uncompressed.
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
 * Loads nothing from another origin, and runs no inline script. No other page may show this one in a frame, where it
 * could make the visitor press its buttons.
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

/** A weight of 0 (`gzip;q=0`) means that gzip is not accepted. */
function acceptsGzip(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((coding) => {
    const [name = '', weight = 'q=1'] = coding.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && Number(weight.replace('q=', '')) > 0;
  });
}
