import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Followed } from '../operations/operation.js';

const ID_BYTES = 9;

/**
 * Sends each new event until the client leaves or the service closes. The headers are sent with the first event: the
 * service's rule. A client that does not read gets only the latest event when it reads again.
 */
export function sendEvents(response: ServerResponse, followed: Followed, ending: AbortSignal): void {
  let sent = followed.known;
  const sendLatest = (): void => {
    const event = followed.latest();
    if (event === undefined || event === sent || response.writableNeedDrain) return;
    if (!response.headersSent) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
    }
    sent = event;
    response.write(`id: ${newId()}\ndata: ${event}\n\n`);
  };
  const end = (): void => {
    response.destroy();
  };
  const stop = followed.onChange(sendLatest);
  response.on('drain', sendLatest);
  ending.addEventListener('abort', end);
  const left = (): void => {
    stop();
    ending.removeEventListener('abort', end);
  };
  response.once('close', left);
  // A response that waits behind another one on its connection does not emit `close` when the connection closes.
  if (response.socket === null) response.req.socket.once('close', left);
  sendLatest();
}

function newId(): string {
  return randomBytes(ID_BYTES).toString('hex').slice(0, ID_BYTES);
}
