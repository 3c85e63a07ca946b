/**
 * Serves in a process of its own, with the same latency for every request, a number of workers, and one kind of
 * trouble.
 */
import { createServer } from 'node:http';

const { latencyMs, workers = Infinity, trouble } = JSON.parse(process.argv[2]);

const isSpecial = (items) => items.some(({ entityId }) => entityId.startsWith('special'));

/** Random numbers from 0 to 1, which are the same in each run. */
let drawn = 1;
function fixedRandom() {
  drawn = (drawn * 48_271) % 2_147_483_647;
  return drawn / 2_147_483_647;
}

/**
 * What each kind of trouble does to a batch: it gives a status, loses the connection, keeps silent, or does nothing.
 */
const TROUBLES = {
  'broken flags': (items) => items.some(({ flagKey }) => /^flag-[012]$/.test(flagKey)) && 500,
  'broken flag of a page': (items) => items.some(({ flagKey }) => flagKey === 'page-0') && 500,
  'refused questions': (items) => isSpecial(items) && 400,
  'failing questions': (items) => isSpecial(items) && 500,
  'forbidden user': (items) => isSpecial(items) && 403,
  'firewall 503': (items) => isSpecial(items) && 503,
  'firewall reset': (items) => isSpecial(items) && 'reset',
  'firewall silence': (items) => isSpecial(items) && 'silence',
  'half dead 503': () => fixedRandom() < 0.5 && 503,
  'half dead 500': () => fixedRandom() < 0.5 && 500,
  'half dead silence': () => fixedRandom() < 0.3 && 'silence',
};

/** The sockets that a load balancer has forgotten. They are reset when they are used again. */
const dead = new Set();
const open = new Set();
if (trouble === 'dead sockets') setInterval(() => open.forEach((socket) => dead.add(socket)), 3_000);

let requests = 0;
let busy = 0;
const waiting = [];

/** Works on a request even if its caller has given up, as real services do. */
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
  const { socket } = request;
  if (dead.has(socket)) {
    socket.resetAndDestroy();
    return;
  }
  open.add(socket);
  if (trouble === 'no keep-alive') response.setHeader('connection', 'close');
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    // This service has no snapshots.
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    requests++;
    const { requests: items } = JSON.parse(Buffer.concat(chunks));
    await work();
    const status = TROUBLES[trouble]?.(items) || 200;
    if (status === 'reset') request.socket.destroy();
    if (typeof status === 'string') return;
    const body = status === 200 ? { responses: items.map(answerTo) } : { code: 2, message: trouble };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});
server.on('connection', (socket) => socket.on('close', () => open.delete(socket)));
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on('message', () => process.send({ requests }));
process.on('disconnect', () => process.exit());
