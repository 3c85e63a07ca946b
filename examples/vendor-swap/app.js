import { OpenFeature } from '@openfeature/server-sdk';
import express from 'express';

/** Creates the app. It knows only OpenFeature, so no line of it changes with the vendor. */
export function createApp() {
  const app = express();
  app.get('/', async (_req, res) => {
    const client = OpenFeature.getClient();
    const context = { targetingKey: 'ada' }; // in your app, the user of the session
    const [newCheckout, greeting, limits, banner] = await Promise.all([
      client.getBooleanValue('new-checkout', false, context),
      client.getStringValue('greeting', 'hi', context),
      client.getObjectValue('limits', { projects: 1 }, context),
      client.getStringValue('legacy-banner', 'none', context),
    ]);
    res.json({ vendor: client.metadata.providerMetadata.name, newCheckout, greeting, limits, banner });
  });
  return app;
}
