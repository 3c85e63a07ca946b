/* A worker that runs one step in each request: `?step=NAME`. Without a name, it lists them. */
import { failureOf, providerSteps } from './run-steps.mjs';

const steps = new Map(providerSteps());

export default {
  async fetch(request, { FLIPT_URL: url }) {
    const name = new URL(request.url).searchParams.get('step');
    if (name === null) return Response.json([...steps.keys()]);
    return Response.json({ name, failure: await failureOf(steps.get(name), { url }) });
  },
};
