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
  // The stream ends with its connection. Its response is no sure sign of that: before Node 24, one that waits behind
  // another on the same connection emits no `close`.
  response.req.socket.once('close', () => {
    stop();
    ending.removeEventListener('abort', end);
  });
  sendLatest();
}
