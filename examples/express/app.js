import { fileURLToPath } from 'node:url';
import express from 'express';
import { flags, ofrep } from 'openfeature-flipt-provider/express';
import { browserModules } from './browser-modules.js';
import { FLAG_KEYS, resolveFlags } from './flags.js';
import { live } from './live.js';
import { ownMachineOnly, protectedPage } from './own-machine.js';
import { buttonStyle, page } from './page.js';
import { logIn, sessionContext, visitor } from './session.js';

const BROWSER = fileURLToPath(new URL('browser', import.meta.url));

/**
 * Creates the app. `modes` are the providers that the page shows side by side, and the existing one among them has
 * `requests`. `flipt` can be stopped; it is `undefined` if Flipt runs in another process.
 */
export function createApp({ modes, flipt }) {
  const app = express();
  app.disable('x-powered-by');
  app.use(ownMachineOnly);
  app.use('/browser', express.static(BROWSER, { cacheControl: false }));
  app.get('/modules/:name.js', browserModules);
  app.get('/events', live(modes, flipt));
  app.use(express.json());
  app.post('/session', logIn);
  if (flipt) controls(app, flipt);

  // The browser gets its flags over OFREP, for the user who is logged in, and an event stream tells it of changes. The
  // flag `limits` is not for browsers.
  const forBrowsers = FLAG_KEYS.filter((key) => key !== 'limits');
  app.use(ofrep({ context: sessionContext, flags: forBrowsers, push: true }));

  // From here on, every OpenFeature client knows who is asking, and req.flags is such a client. All flags of the page
  // are fetched in one batch.
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
    const values = await resolveFlags(req.flags);
    protectedPage(res, buttonStyle(values));
    res.send(page(visitor(req), values, flipt !== undefined));
  });

  app.get('/checkout', async (req, res) => {
    const newCheckout = await req.flags.getBooleanValue('new-checkout', false);
    res.json({ checkout: newCheckout ? 'new' : 'old' });
  });
  return app;
}

function controls(app, flipt) {
  app.post('/flipt', async (req, res) => {
    await (req.body?.running === true ? flipt.start() : flipt.stop());
    res.sendStatus(204);
  });
  app.post('/flags/:key', async (req, res) => {
    const isOn = req.body?.isOn === true;
    await flipt.switchFlag(
      req.params.key,
      req.body?.isBoolean === true ? { value: isOn } : { enabled: isOn },
    );
    res.sendStatus(204);
  });
}
