import type { ServerResponse } from 'node:http';
import type { Followed } from '../operations/operation.js';

/**
 * Sends each new event until the client leaves or the service closes. The headers are sent with the first event: the
 * service's rule. A client that does not read gets only the latest event when it reads again.
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
  const left = (): void => {
    stop();
    ending.removeEventListener('abort', end);
  };
  response.once('close', left);
  // A response that waits behind another one on its connection does not emit `close` when the connection closes.
  if (response.socket === null) response.req.socket.once('close', left);
  sendLatest();
}
