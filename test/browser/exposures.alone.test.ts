import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { OpenFeature } from '@openfeature/server-sdk';
import { build, type BuildOptions } from 'esbuild';
import express, { type RequestHandler } from 'express';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ofrep } from '../../src/adapters/express/index.js';
import type { TrackingEvent } from '../../src/index.js';
import { eventually } from '../eventually.fixture.js';
import { flipt, localService } from '../provider/open.fixture.js';
import { listening } from '../traffic/listening.fixture.js';
import { describeInBrowser } from './browser.fixture.js';

// Long, because a browser on a busy machine is slow. The tests wait for conditions, not for times.
vi.setConfig({ testTimeout: 120_000 });

const README = readFileSync(new URL('../../examples/exposures/README.md', import.meta.url), 'utf8');
/** What the page tells readers to write: the hook for the page, and the route for the app. */
const [HOOK = '', ROUTE = ''] = README.slice(README.indexOf('## From a browser'))
  .split('```')
  .filter((_, at) => at % 2 === 1)
  .map((block) => block.slice(block.indexOf('\n')));

const FEATURES = {
  flags: ['new-checkout', 'banner', 'unused'].map((key) => ({
    key,
    name: key,
    type: 'BOOLEAN_FLAG_TYPE' as const,
    enabled: true,
  })),
};

const PROVIDER = `
  import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
  const web = new OFREPWebProvider({ baseUrl: location.origin, pollInterval: 0 });`;
const PLAIN = `${PROVIDER}
  const client = OpenFeature.getClient();
  const button = document.querySelector('#root').appendChild(document.createElement('button'));
  let shown = 0;
  const show = () => {
    const both = [client.getBooleanValue('new-checkout', false), client.getBooleanValue('banner', false)];
    button.textContent = both.join() + ' ' + shown++;
  };
  show();
  button.onclick = show;
  void OpenFeature.setProviderAndWait(web, { targetingKey: 'ada' }).then(show);`;
const REACT = `${PROVIDER}
  import { createElement, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
  void OpenFeature.setProviderAndWait(web, { targetingKey: 'ada' });
  const Page = () => {
    const [shown, show] = useState(1);
    const both = [useBooleanFlagValue('new-checkout', false), useBooleanFlagValue('banner', false)];
    return createElement('button', { onClick: () => show(shown + 1) }, both.join() + ' ' + shown);
  };
  createRoot(document.getElementById('root')).render(
    createElement(OpenFeatureProvider, { suspendUntilReady: false }, createElement(Page)),
  );`;

async function bundled(contents: string, options: BuildOptions): Promise<string> {
  const { outputFiles = [] } = await build({
    stdin: { contents, loader: 'ts', resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
    ...options,
  });
  return outputFiles[0]?.text ?? '';
}

/** The route of the page, as a program of its own. */
async function route(): Promise<RequestHandler> {
  const code = await bundled(`${ROUTE}\nexport { app };`, {
    format: 'cjs',
    platform: 'node',
    packages: 'external',
  });
  const loaded = { exports: {} as { readonly app: RequestHandler } };
  const run = runInThisContext(`(module, require) => {${code}\n}`) as (...scope: unknown[]) => void;
  run(loaded, createRequire(import.meta.url));
  return loaded.exports.app;
}

/** An app whose only user is Ada, and the events that its provider has sent. */
async function shop(page: string) {
  const service = await localService({ features: FEATURES });
  const events: TrackingEvent[] = [];
  const provider = flipt({
    url: service.url,
    tracking: { send: (more) => events.push(...more) },
  });
  onTestFinished(() => OpenFeature.clearProviders());
  await OpenFeature.setProviderAndWait(provider);
  const script = await bundled(HOOK + page, { format: 'esm', platform: 'browser' });
  const app = express();
  app.use((req, _res, next) => {
    Object.assign(req, { user: { id: 'ada' } });
    next();
  });
  const keys = FEATURES.flags.map(({ key }) => key);
  app.use(ofrep({ provider, context: () => ({ targetingKey: 'ada' }), flags: keys }));
  app.use(await route());
  app.get('/page.js', (_req, res) => void res.type('js').send(script));
  app.get('/', (_req, res) => {
    res.send(`<!doctype html><title>Shop</title><link rel="icon" href="data:,"><div id="root"></div>
      <script type="module" src="/page.js"></script>`);
  });
  const server = await listening(app);
  onTestFinished(server.close);
  return { url: server.url, provider, events };
}

it.each<[string, unknown]>([
  ['a flag that is not shown', { flagKey: 'unused', flagValueType: 'boolean' }],
  ['a type that only objects know', { flagKey: 'banner', flagValueType: '__defineGetter__' }],
  ['no flag', {}],
  ['a list', []],
])('the route answers 204 to %s, and makes no exposure', async (_, body) => {
  const { url, provider, events } = await shop(PLAIN);
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${url}/exposures`, { method: 'POST', headers, body: JSON.stringify(body) });
  await provider.flush();
  expect([status, events]).toEqual([204, []]);
});

describeInBrowser('a page that reports the flags that it uses', (openTab) => {
  it.each([
    ['plain script', PLAIN],
    ['React', REACT],
  ])('makes one exposure of each for its user, and none of the others, with %s', async (_, script) => {
    const { url, provider, events } = await shop(script);
    const { page, messages } = await openTab(url);
    await page.getByText('true,true').waitFor();
    await page.getByRole('button').click();
    const lines = async () => {
      await provider.flush();
      return events
        .map((event) => [event.kind, event.targetingKey, 'flagKey' in event && event.flagKey].join(' '))
        .sort();
    };
    await eventually(async () => (await lines()).length === 2);
    await page.reload();
    await page.getByText('true,true').waitFor();
    expect(await lines()).toEqual(['exposure ada banner', 'exposure ada new-checkout']);
    expect(messages.filter((message) => !message.includes('React DevTools'))).toEqual([]);
  });
});
