/* Run in a consumer by Node, Bun or Deno. It must end by itself. */
import process from 'node:process';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { FEATURES } from './checks.mjs';
import { failureOf, providerSteps } from './run-steps.mjs';
import { steps } from './server-steps.mjs';

const service = await startLocalService({ features: FEATURES });
for (const [name, run] of [...providerSteps(), ...Object.entries(steps)]) {
  const failure = await failureOf(run, { url: service.url });
  console.log(String(name), failure ?? 'passed');
  if (failure !== undefined) process.exitCode = 1;
}
await service.close();
