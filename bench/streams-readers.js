/**
 * Plays browsers in a process of their own; the arguments are `port readers stalled`. It sends how long after a change
 * each of them got the event.
 */
import { connect } from 'node:net';

const [port, readers, stalled] = process.argv.slice(2).map(Number);
const head = (user) =>
  `GET /ofrep/v1/evaluate/flags HTTP/1.1\r\nHost: localhost:${port}\r\nsec-fetch-site: same-origin\r\nx-user: ${user}\r\n\r\n`;
let changedAt = 0;
let informed = [];

const open = (at) =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head(`user-${at}`)));
    socket.on('error', reject);
    socket.on('data', (bytes) => {
      resolve();
      if (!bytes.includes('refetchEvaluation') || changedAt === 0) return;
      informed.push(performance.now() - changedAt);
      if (informed.length === readers - stalled) process.send({ delays: informed });
    });
    // A stalled reader reads only the beginning of its stream.
    if (at < stalled) socket.once('data', () => socket.pause());
  });

for (let at = 0; at < readers; at += 100) {
  await Promise.all(Array.from({ length: Math.min(100, readers - at) }, (_, next) => open(at + next)));
}
process.on('message', () => {
  informed = [];
  changedAt = performance.now();
  process.send({ ready: true });
});
process.send({ open: true });
