import express from 'express';
import { resolveFlags } from './flags.js';
import { page } from './page.js';

const text = (value, otherwise) => (typeof value === 'string' && value !== '' ? value : otherwise);

/** The app: it knows OpenFeature's client and nothing of Flipt. */
export function createApp(client) {
  const app = express();
  app.disable('x-powered-by');
  app.get('/', async (req, res) => {
    const user = text(req.query.user, 'ada');
    const plan = text(req.query.plan, 'free');
    res.send(page({ user, plan }, await resolveFlags(client, { targetingKey: user, plan })));
  });
  return app;
}
