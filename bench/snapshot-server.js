import { createServer } from 'node:http';

/** The question of a start is about no flag. */
const NOTHING = JSON.stringify({
  responses: [
    {
      type: 'ERROR_EVALUATION_RESPONSE_TYPE',
      errorResponse: { flagKey: '', reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
    },
  ],
});
const INFO = JSON.stringify({ version: 'v1.61.1', isRelease: true });

/**
 * Serves two editions of a snapshot from memory, in the process that is not measured. The other one comes with each
 * request. They are encoded before: encoding 33 MB again for each request takes longer than sending it.
 */
export async function serveSnapshots(bodyOf) {
  const bodies = [Buffer.from(bodyOf(0)), Buffer.from(bodyOf(1))];
  let edition = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    if (request.url === '/meta/info') {
      response.end(INFO);
    } else if (request.method === 'POST') {
      response.end(NOTHING);
    } else {
      response.setHeader('etag', `edition-${edition}`);
      response.end(bodies[edition++ % 2]);
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}`, bytes: bodies[0].length, close: () => server.close() };
}
