/**
 * Measures the event streams of `ofrep`: how soon all browsers know of a change while some of them stall, and what that
 * costs.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import express from 'express';
import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { ofrep } from 'openfeature-flipt-provider/express';
import { startLocalService } from 'openfeature-flipt-provider/local';

const [READERS = 2_000, STALLED = 10, CHANGES = 100] = process.argv.slice(2).map(Number);
const RESOLVES = 50_000;

const service = await startLocalService({
  features: { flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
});
const provider = new FliptProvider({ url: service.url });
await OpenFeature.setProviderAndWait(provider);
const app = express();
app.use(
  ofrep({
    context: (req) => ({ targetingKey: req.get('x-user') }),
    flags: ['on'],
    push: true,
  }),
);
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');

const kilobytes = () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: Math.round(heapUsed / 1024), rss: Math.round(rss / 1024) };
};
const client = OpenFeature.getClient();
const costOfResolve = async () => {
  const began = performance.now();
  for (let at = 0; at < RESOLVES; at += 1) await client.getBooleanValue('on', false, { targetingKey: 'ann' });
  return `${(((performance.now() - began) / RESOLVES) * 1_000).toFixed(2)} µs`;
};
const answerOf = async (child, member) => {
  for (;;) {
    const [message] = await once(child, 'message');
    if (member in message) return message[member];
  }
};

await costOfResolve();
const before = { ...kilobytes(), resolve: await costOfResolve() };
const args = [server.address().port, READERS, STALLED].map(String);
const readers = fork(new URL('streams-readers.js', import.meta.url), args);
await answerOf(readers, 'open');
const opened = kilobytes();
const withStreams = await costOfResolve();

const delays = [];
for (let change = 0; change < CHANGES; change += 1) {
  const ready = answerOf(readers, 'ready');
  readers.send({});
  await ready;
  const all = answerOf(readers, 'delays');
  provider.invalidate(['on']);
  delays.push(Math.max(...(await all)));
  if (change === 0) opened.afterOne = kilobytes();
}
const after = kilobytes();
delays.sort((one, other) => one - other);
console.log(`${READERS} streams, ${STALLED} of them stalled, ${CHANGES} changes, spread over 1 s`);
console.log(
  `the last browser knows after ${Math.round(delays[CHANGES >> 1])} ms (median), ${Math.round(delays.at(-1))} ms (longest)`,
);
console.log(
  `heap: ${before.heap} kB before, ${opened.heap} kB with the streams, ${opened.afterOne.heap} kB after one change, ${after.heap} kB after all`,
);
console.log(`RSS: ${before.rss} kB, ${opened.rss} kB, ${opened.afterOne.rss} kB, ${after.rss} kB`);
console.log(`a cached resolve: ${before.resolve} before, ${withStreams} with the streams`);
readers.kill();
server.closeAllConnections();
server.close();
await OpenFeature.close();
await service.close();
