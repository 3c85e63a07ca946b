/*
 * This is a process of a fleet, which fleet.fixture.ts starts: a provider with a store in Redis. It reports each of its
 * states to its parent, and answers a question about its resolves.
 */
import { OpenFeature, type Client } from '@openfeature/server-sdk';
import { createClient } from 'redis';
import { FliptProvider } from '../../../src/index.js';
import { redisStore } from '../../../src/adapters/redis/index.js';
import { untimedRequests } from '../../servers/untimed.fixture.js';

export interface MemberPlan {
  readonly url: string;
  /** The path of the socket of Redis. */
  readonly redis: string;
  readonly pollMs: number;
}

/** What a process reports: each new state, or how many of its resolves have failed since it was last asked. */
export type MemberReport = { readonly state: number } | { readonly failures: number };

const plan = JSON.parse(process.argv[2] ?? '') as MemberPlan;
const send = (report: MemberReport) => process.send?.(report);

let client: Client | undefined;
let last = 0;
let failures = 0;
async function look(): Promise<void> {
  // The flag's variant names the state of the service.
  if (client === undefined) return;
  const { value, errorCode } = await client.getStringDetails('state', '0', { targetingKey: 'somebody' });
  if (errorCode !== undefined) failures++;
  const state = Number(value);
  if (state !== last) send({ state });
  last = state;
}
process.on('message', () => {
  send({ failures });
  failures = 0;
});
process.on('disconnect', () => process.exit());

async function main(): Promise<void> {
  const redis = createClient({ socket: { path: plan.redis, tls: false, reconnectStrategy: 50 } }).on(
    'error',
    () => undefined,
  );
  await redis.connect();
  const silent = () => undefined;
  const provider = new FliptProvider({
    url: plan.url,
    http: { dispatcher: untimedRequests() },
    evaluation: 'in-process',
    headers: { 'x-process': String(process.pid) },
    watch: { pollMs: plan.pollMs },
    snapshot: { store: redisStore(redis) },
    logger: { error: silent, warn: silent, info: silent, debug: silent },
  });
  await OpenFeature.setProviderAndWait(provider);
  client = OpenFeature.getClient();
  setInterval(() => void look(), 25);
}
void main();
