/** Counts the requests to the service for a handler that reads ten flags one after another, for new users. */
import { OpenFeature } from '@openfeature/server-sdk';
import express from 'express';
import { FliptProvider } from 'openfeature-flipt-provider';
import { flags } from 'openfeature-flipt-provider/express';
import { startLocalService } from 'openfeature-flipt-provider/local';

const USERS = 100;
const FLAG_KEYS = Array.from({ length: 10 }, (_, index) => `flag-${index}`);

const service = await startLocalService({
  features: { flags: FLAG_KEYS.map((key) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled: true })) },
});
await OpenFeature.setProviderAndWait(new FliptProvider({ url: service.url }));

for (const prefetch of [undefined, FLAG_KEYS]) {
  const app = express();
  app.use(
    flags({ context: (req) => ({ targetingKey: req.path, prefetched: prefetch !== undefined }), prefetch }),
  );
  app.use(async (req, res) => {
    for (const key of FLAG_KEYS) await req.flags.getBooleanValue(key, false);
    res.end();
  });
  const server = app.listen(0);
  const before = service.requests;
  for (let user = 0; user < USERS; user += 1) {
    await (await fetch(`http://localhost:${server.address().port}/${user}`)).text();
  }
  const each = (service.requests - before) / USERS;
  console.log(
    `ten flags, one after another, ${prefetch ? 'prefetched' : 'not prefetched'}: ${each} requests a user`,
  );
  server.closeAllConnections();
  server.close();
}
await OpenFeature.close();
await service.close();
