import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Followed } from '../operations/operation.js';

const ID_BYTES = 9;

/**
 * Sends each new event until the client leaves or the service ends. Headers come with the first event: the service's
 * rule. To a client that does not read, only the latest event is sent, when it reads again.
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
  // Behind another response on its connection: then node does not say that this one has closed.
  if (response.socket === null) response.req.socket.once('close', left);
  sendLatest();
}

function newId(): string {
  return randomBytes(ID_BYTES).toString('hex').slice(0, ID_BYTES);
}
