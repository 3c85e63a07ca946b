/* Runs the steps in this process, and prints the result of each as a line of JSON. It must end by itself. */
import { startLocalService } from 'openfeature-flipt-provider/local';
import { FEATURES } from './checks.mjs';
import { failureOf, providerSteps } from './run-steps.mjs';
import { steps } from './server-steps.mjs';

const service = await startLocalService({ features: FEATURES });
for (const [name, run] of [...providerSteps(), ...Object.entries(steps)]) {
  const failure = await failureOf(run, { url: service.url });
  console.log(JSON.stringify({ name, failure }));
}
await service.close();
