import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Followed, OperationResult } from '../operations/operation.js';
import type { SnapshotDocument } from '../snapshot-document.js';
import { Refusal, REFUSALS } from '../parsing/refused-request.js';
import { SaveError } from '../state/state-store.js';

const compressed = promisify(gzip);

/**
 * Sends the result of an operation to the client. If the result is a stream, the stream ends when the signal `ending`
 * is aborted.
 */
export async function send(response: ServerResponse, result: OperationResult, ending: AbortSignal) {
  if ('json' in result) sendText(response, 200, JSON.stringify(result.json));
  else if ('text' in result) sendText(response, 200, result.text, result.headers);
  else if ('document' in result) await sendDocument(response, result.document);
  else sendEvents(response, result.events, ending);
}

export function sendError(response: ServerResponse, error: unknown): void {
  const { status, code, message } = errorResponse(error);
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
  sendText(response, status, JSON.stringify({ code, message, details: [] }));
}

/**
 * Sends a snapshot, or a 304 if the client already has this version. As in Flipt, the ETag has no quotes, and the
 * client must send the ETag back byte for byte. As in Flipt, a 304 to a client that accepts gzip has the header
 * `Content-Encoding: gzip`, although a 304 has no body.
 */
async function sendDocument(response: ServerResponse, { version, text }: SnapshotDocument) {
  const { headers } = response.req;
  if (version !== undefined) response.setHeader('ETag', version);
  const isCompressed = acceptsGzip(headers['accept-encoding'] ?? '');
  response.setHeader('Vary', 'Accept-Encoding');
  if (version !== undefined && headers['if-none-match'] === version) {
    response.writeHead(304, isCompressed ? { 'Content-Encoding': 'gzip' } : {}).end();
    return;
  }
  const body = isCompressed ? await compressed(text()) : text();
  // The header `Content-Encoding` must be set after the call of `text()`, because the service sends the error without
  // compression if `text()` throws.
  if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
  sendText(response, 200, body);
}

/**
 * Sends new events to a client until the client disconnects or the service closes. As in Flipt, the client gets the
 * headers of the response only together with the first event. While a client does not read, the service skips events,
 * and sends the latest one when the client reads again.
 */
export function sendEvents(response: ServerResponse, followed: Followed, ending: AbortSignal): void {
  let sent = followed.known;
  const sendLatest = (): void => {
    const version = followed.latest();
    if (version === undefined || version === sent || response.writableNeedDrain) return;
    if (!response.headersSent) {
      response.writeHead(200, { 'Content-Type': followed.type, 'Cache-Control': 'no-cache' });
    }
    sent = version;
    response.write(followed.textOf(version));
  };
  const end = (): void => {
    response.destroy();
  };
  const stop = followed.onChange(sendLatest);
  response.on('drain', sendLatest);
  ending.addEventListener('abort', end);
  // The stream ends when its connection closes. The code listens to the socket, because in versions of Node before 24,
  // a response emits no `close` while it waits behind another response on the same connection.
  response.req.socket.once('close', () => {
    stop();
    ending.removeEventListener('abort', end);
  });
  sendLatest();
}

const JSON_TYPE: Readonly<Record<string, string>> = { 'Content-Type': 'application/json' };

function sendText(response: ServerResponse, status: number, text: string | Buffer, headers = JSON_TYPE) {
  const body = Buffer.from(text);
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

/** Returns whether the client accepts gzip. A weight of 0 (`gzip;q=0`) means that the client does not accept gzip. */
function acceptsGzip(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((coding) => {
    const [name = '', weight = 'q=1'] = coding.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && Number(weight.replace('q=', '')) > 0;
  });
}

const INTERNAL = { status: 500, code: 13 };

/**
 * Returns the HTTP status, the gRPC code and the message of the answer to a failed request. The client does not get the
 * message of an unexpected error, because the message might quote data that the client must not see.
 */
export function errorResponse(error: unknown) {
  if (error instanceof Refusal) return { ...REFUSALS[error.kind], message: error.message };
  return { ...INTERNAL, message: error instanceof SaveError ? error.message : 'internal error' };
}
