import { join } from 'node:path';
import { build } from 'esbuild';
import express from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ofrep } from '../../src/adapters/express/index.js';
import { localService, open } from '../provider/open.fixture.js';
import { listening } from '../traffic/listening.fixture.js';
import { describeInBrowser } from './browser.fixture.js';

// Long, because a browser on a busy machine is slow. The tests wait for conditions, not for times.
vi.setConfig({ testTimeout: 120_000 });

const FEATURES = { flags: [{ key: 'new-checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] } as const;
const PAGE = join(import.meta.dirname, '../../examples/browser/react-page.js');

describeInBrowser('a React page that the browser renders', (openTab) => {
  it('shows its flags, and follows changes', async () => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, evaluation: 'in-process' });
    const { outputFiles } = await build({
      entryPoints: [PAGE],
      bundle: true,
      write: false,
      define: { 'process.env.NODE_ENV': '"production"' },
    });
    const app = express();
    app.use(
      ofrep({ provider, context: () => ({ targetingKey: 'ada' }), flags: ['new-checkout'], push: true }),
    );
    app.get('/page.js', (_req, res) => void res.type('js').send(outputFiles[0]?.text));
    app.get('/', (_req, res) => {
      res.send(
        '<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script src="/page.js"></script>',
      );
    });
    const server = await listening(app);
    onTestFinished(server.close);

    const { page, messages } = await openTab(server.url);
    await page.getByText('Buy with one click').waitFor();
    service.set('new-checkout', false);
    provider.invalidate();
    await page.getByText('To the checkout').waitFor();
    expect(messages).toEqual([]);
  });
});
