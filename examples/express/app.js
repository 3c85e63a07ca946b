import express from 'express';
import { flags } from 'openfeature-flipt-provider/express';
import { FLAG_KEYS, resolveFlags } from './flags.js';
import { page } from './page.js';

/** Who is asking. An app of one's own takes that from its session. */
function visitor(req) {
  const text = (value, otherwise) => (typeof value === 'string' && value !== '' ? value : otherwise);
  return { user: text(req.query.user, 'ada'), plan: text(req.query.plan, 'free') };
}

export function createApp() {
  const app = express();
  app.disable('x-powered-by');

  // From here on every OpenFeature client knows who is asking, and req.flags is one. All flags of the page are asked
  // for in one batch, which is on its way while the handler begins.
  app.use(
    flags({
      context: (req) => {
        const { user, plan } = visitor(req);
        return { targetingKey: user, plan };
      },
      prefetch: FLAG_KEYS,
    }),
  );

  app.get('/', async (req, res) => {
    res.send(page(visitor(req), await resolveFlags(req.flags)));
  });

  app.get('/checkout', async (req, res) => {
    const newCheckout = await req.flags.getBooleanValue('new-checkout', false);
    res.json({ checkout: newCheckout ? 'new' : 'old' });
  });
  return app;
}
