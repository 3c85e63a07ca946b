/** Serves one boolean flag, `on`. It also answers the single questions of other clients. */
import { createServer } from 'node:http';

const on = { enabled: true, reason: 'DEFAULT_EVALUATION_REASON', flagKey: 'on', segmentKeys: [] };
const snapshot = {
  namespace: { key: 'default' },
  flags: [{ key: 'on', name: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true, rules: [], rollouts: [] }],
};

function answerTo({ flagKey, namespaceKey }) {
  if (flagKey === 'on') return { type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE', booleanResponse: on };
  const errorResponse = { flagKey, namespaceKey, reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' };
  return { type: 'ERROR_EVALUATION_RESPONSE_TYPE', errorResponse };
}

function reply(path, body) {
  if (path === '/evaluate/v1/boolean') return on;
  if (path === '/evaluate/v1/batch') return { responses: JSON.parse(body).requests.map(answerTo) };
  return snapshot;
}

/** Listens on a port of this machine. */
export async function startService() {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(reply(request.url, Buffer.concat(chunks).toString())));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
