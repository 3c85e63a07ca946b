import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** Answers a question. At its start, a provider asks a question about no flag. All flags that it asks for are off. */
function answerOf({ flagKey }) {
  const reason = 'NOT_FOUND_ERROR_EVALUATION_REASON';
  if (flagKey === '') return { type: 'ERROR_EVALUATION_RESPONSE_TYPE', errorResponse: { flagKey, reason } };
  const booleanResponse = { flagKey, enabled: false, reason: 'DEFAULT_EVALUATION_REASON' };
  return { type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE', booleanResponse };
}
const INFO = JSON.stringify({ version: 'v1.61.1', isRelease: true });

/**
 * Serves two editions of a snapshot in turn from memory, in the process that is not measured. They are encoded
 * beforehand, because encoding 33 MB for each request takes longer than sending it.
 */
export function serveSnapshots(bodyOf) {
  const bodies = [Buffer.from(bodyOf(0)), Buffer.from(bodyOf(1))];
  let edition = 0;
  return serve(bodies[0].length, (request, response) => {
    response.setHeader('etag', `edition-${edition}`);
    response.end(bodies[edition++ % 2]);
  });
}

/**
 * Serves what `flipt` holds at the time of a request. With `isConfirming`, a request with the ETag is answered with
 * 304.
 */
export function serveSnapshot(flipt) {
  return serve(0, (request, response) => {
    const { body, etag, isConfirming } = flipt;
    response.setHeader('etag', etag);
    if (isConfirming && request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.end(body);
  });
}

async function serve(bytes, snapshot) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'POST') {
      void json(request).then(({ requests }) => {
        response.end(JSON.stringify({ responses: requests.map(answerOf) }));
      });
      return;
    }
    request.resume();
    if (request.url === '/meta/info') response.end(INFO);
    else snapshot(request, response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}`, bytes, close: () => server.close() };
}
