/** A service in a process of its own: the same latency for every request, so many workers, and one kind of trouble. */
import { createServer } from 'node:http';

const { latencyMs, workers = Infinity, trouble } = JSON.parse(process.argv[2]);

/** What each trouble makes of a batch: a status, or nothing. */
const TROUBLES = {
  'broken flags': (items) => items.some(({ flagKey }) => /^flag-[012]$/.test(flagKey)) && 500,
  'refused questions': (items) => items.some(({ entityId }) => entityId.startsWith('special')) && 400,
  'forbidden user': (items) => items.some(({ entityId }) => entityId.startsWith('special')) && 403,
};

let busy = 0;
const waiting = [];

/** Goes on with a request whose caller has given up, as a service does. */
async function work() {
  if (busy >= workers) await new Promise((start) => waiting.push(start));
  else busy++;
  await new Promise((done) => setTimeout(done, latencyMs));
  const next = waiting.shift();
  if (next === undefined) busy--;
  else next();
}

function answerTo({ flagKey }) {
  const reason = 'DEFAULT_EVALUATION_REASON';
  const booleanResponse = { flagKey, enabled: true, reason, segmentKeys: [] };
  return { type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE', booleanResponse };
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    // It has no snapshots.
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    const { requests } = JSON.parse(Buffer.concat(chunks));
    await work();
    const status = TROUBLES[trouble]?.(requests) || 200;
    const body = status === 200 ? { responses: requests.map(answerTo) } : { code: 2, message: trouble };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on('disconnect', () => process.exit());
