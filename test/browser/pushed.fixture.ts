import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { ofrep } from '../../src/adapters/express/index.js';
import type { FliptProvider } from '../../src/index.js';
import { ownAddress } from '../servers/own-address.fixture.js';

const MODULES = join(import.meta.dirname, '../../node_modules/@openfeature');
/** The core that the browser's SDK needs may have another version than the server's. */
const CORE = join(
  createRequire(join(MODULES, 'web-sdk/package.json')).resolve('@openfeature/core'),
  '../../..',
);

/** OpenFeature's packages for browsers, as they are published. */
const IMPORTS = {
  '@openfeature/core': '/modules/core/dist/esm/index.js',
  '@openfeature/web-sdk': '/modules/web-sdk/dist/esm/index.js',
  '@openfeature/ofrep-core': '/modules/ofrep-core/index.esm.js',
  '@openfeature/ofrep-web-provider': '/modules/ofrep-web-provider/index.esm.js',
};

/** Shows a flag by the real web provider, which never polls. `events` are the ids of the events that have come. */
const PAGE = `<!doctype html>
<link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<p id="value"></p>
<script type="module">
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';

window.events = [];
const EventStream = window.EventSource;
window.EventSource = class extends EventStream {
  constructor(url) {
    super(url);
    this.addEventListener('message', ({ lastEventId, data }) => window.events.push(lastEventId + data));
  }
};
window.logIn = (targetingKey) => OpenFeature.setContext({ targetingKey });
window.become = (visibilityState) => {
  Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
};
const client = OpenFeature.getClient();
const show = () => {
  document.getElementById('value').textContent = 'banner is ' + client.getStringValue('banner', 'unknown');
};
for (const event of [ProviderEvents.Ready, ProviderEvents.ConfigurationChanged, ProviderEvents.ContextChanged]) {
  client.addHandler(event, show);
}
OpenFeature.setProvider(
  new OFREPWebProvider({
    baseUrl: location.origin,
    cacheMode: 'disabled',
    pollInterval: 0,
    inactivityDelaySec: 0.05,
    disableVisibilityRefresh: true,
  }),
);
</script>`;

export interface Place {
  readonly host: string;
  readonly port?: number;
}

export interface PushedApp {
  readonly url: string;
  /** The user who is logged in. */
  readonly session: { user: string };
  /** Returns how many streams are open. */
  readonly streams: () => number;
  readonly close: () => Promise<void>;
}

/** Starts an app whose page follows the flag `banner`. */
export async function pushedApp(
  provider: FliptProvider,
  { host, port = 0 }: Place = { host: ownAddress() },
): Promise<PushedApp> {
  const session = { user: 'guest' };
  let streams = 0;
  const app = express();
  app.get('/', (_, res) => void res.type('html').send(PAGE));
  app.use('/modules/core', express.static(CORE));
  app.use('/modules', express.static(MODULES));
  app.use((req, res, next) => {
    if (req.method === 'GET') {
      streams += 1;
      res.on('close', () => {
        streams -= 1;
      });
    }
    next();
  });
  app.use(
    ofrep({ context: () => ({ targetingKey: session.user }), flags: ['banner'], provider, push: true }),
  );
  const server = createServer(app).listen(port, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    session,
    streams: () => streams,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
