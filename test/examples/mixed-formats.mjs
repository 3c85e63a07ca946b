/** An app in which each part has loaded another format of the package: prints the answers of two requests. */
import { createRequire } from 'node:module';
import { OpenFeature } from '@openfeature/server-sdk';
import express from 'express';
import * as esm from 'openfeature-flipt-provider';
import { flags } from 'openfeature-flipt-provider/express';
import { startLocalService } from 'openfeature-flipt-provider/local';

const require = createRequire(import.meta.url);
const cjs = {
  ...require('openfeature-flipt-provider'),
  ...require('openfeature-flipt-provider/express'),
};
if (cjs.FliptProvider === esm.FliptProvider) throw new Error('it is one format only');

const flag = (key) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled: true });
const service = await startLocalService({ features: { flags: [flag('a'), flag('b')] } });

for (const [Provider, middleware] of [
  [cjs.FliptProvider, [flags]],
  [esm.FliptProvider, [cjs.flags]],
  [cjs.FliptProvider, [flags, cjs.flags]],
]) {
  const provider = new Provider({ url: service.url, cache: false, watch: false });
  await OpenFeature.setProviderAndWait(provider);
  const app = express();
  for (const flagsOf of middleware) {
    app.use(flagsOf({ context: () => ({ targetingKey: 'user' }), prefetch: ['a', 'b'] }));
  }
  const client = OpenFeature.getClient();
  app.get('/', async (req, res) => {
    const before = await req.flags.getBooleanValue('a', false);
    await service.setFlag('default', 'a', { enabled: !before });
    // By OpenFeature's own client, in the request's view.
    res.json([before, await client.getBooleanValue('a', !before), await client.getBooleanValue('b', false)]);
  });
  const server = app.listen(0);
  const before = service.requests;
  for (let request = 0; request < 2; request += 1) {
    const response = await fetch(`http://localhost:${server.address().port}/`);
    console.log(JSON.stringify(await response.json()));
  }
  console.log(`${service.requests - before} requests`);
  server.closeAllConnections();
  server.close();
}
await OpenFeature.close();
await service.close();
