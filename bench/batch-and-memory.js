/** Counts the requests for ten flags of a new user, and measures the memory of 10,000 cached answers. */
import { OpenFeature } from '@openfeature/server-sdk';
import { Agent } from 'undici';
import { FliptProvider } from 'openfeature-flipt-provider';
import { contextOf } from './features.js';

let requests = 0;
const agent = new Agent();
const counting = {
  request(options) {
    // GET requests are polls of the snapshot in the background, and do not count.
    if (options.method === 'POST') requests++;
    return agent.request(options);
  },
};
const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const provider = new FliptProvider({
  logger: quiet,
  http: { dispatcher: counting, timeoutMs: 5_000 },
  deadlineMs: 10_000,
});
await OpenFeature.setProviderAndWait(provider);
const client = OpenFeature.getClient();
const flags = Array.from({ length: 10 }, (_, n) => `flag-${n}`);
const askAll = (user) =>
  Promise.all(flags.map((flag) => client.getStringValue(flag, 'off', contextOf(user))));

requests = 0;
await askAll(0);
const forTen = requests;

provider.invalidate();
for (let user = 0; user < 50; user++) await askAll(100_000 + user);
provider.invalidate();
const before = heap();
for (let user = 0; user < 1_000; user++) await askAll(user);
const heapBytes = heap() - before;

process.send({ requests: forTen, heapBytes });
await OpenFeature.close();
await agent.close();
process.disconnect();

function heap() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}
