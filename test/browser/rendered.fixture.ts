import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { build } from 'esbuild';
import express from 'express';
import { onTestFinished } from 'vitest';
import { ofrep } from '../../src/adapters/express/index.js';
import type { EvaluatedFlag, FliptProvider } from '../../src/index.js';
import { listening } from '../traffic/listening.fixture.js';

const KEYS = ['new-checkout', 'banner', 'limits', 'discount', 'nobody'];

type Flags = Readonly<Record<string, EvaluatedFlag>>;

async function bundled(file: string, platform: 'browser' | 'node'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'rendered', file)],
    bundle: true,
    write: false,
    platform,
    format: platform === 'node' ? 'cjs' : 'iife',
    // React's development build says what differs between the server's page and the browser's.
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputFiles[0]?.text ?? '';
}

/** The page of a framework: how the server renders it, and the script that it loads in the browser. */
interface Framework {
  readonly script: string;
  readonly rendered: (flags: Flags) => string;
}

export async function react(): Promise<Framework> {
  const [script, server] = await Promise.all([
    bundled('react-browser.js', 'browser'),
    bundled('react-server.js', 'node'),
  ]);
  const loaded = { exports: {} as Pick<Framework, 'rendered'> };
  const run = runInThisContext(`(module, require) => {${server}\n}`) as (...scope: unknown[]) => void;
  run(loaded, createRequire(import.meta.url));
  return { script, rendered: loaded.exports.rendered };
}

export async function plain(): Promise<Framework> {
  const rendered = (flags: Flags) => {
    const limits = flags.limits?.attachment as { projects: number } | undefined;
    const banner = String(flags.banner?.value).replaceAll('<', '&lt;');
    return `<main>
      <button>Again</button>
      <p>${flags['new-checkout']?.value === true ? 'Buy with one click' : 'To the checkout'}</p>
      <p>${banner}, ${String(limits?.projects)} projects, ${String(flags.discount?.attachment)} off, own</p>
    </main>`;
  };
  return { script: await bundled('plain-browser.js', 'browser'), rendered };
}

/** Records each text that the page has. The first one is recorded before the page's script runs. */
const RECORDER = `const root = document.getElementById('root');
window.texts = [root.textContent];
new MutationObserver(() => root.textContent === texts.at(-1) || texts.push(root.textContent)).observe(
  root, { characterData: true, childList: true, subtree: true });`;

export interface App {
  readonly url: string;
  /** Answers the browser's first request for flags. All later ones wait. */
  readonly answerFirst: () => Promise<void>;
  /** Answers all requests from now on. */
  readonly answerAll: () => void;
}

/** Starts an app that renders its page with the provider's flags and answers its browsers. */
export async function rendering({ script, rendered }: Framework, provider: FliptProvider): Promise<App> {
  const gate = new EventEmitter();
  const asked = once(gate, 'asked');
  let isOpen = false;
  const context = () => ({ targetingKey: 'ada' });
  const app = express();
  app.use('/ofrep', async (_req, _res, next) => {
    gate.emit('asked');
    if (!isOpen) await once(gate, 'answer');
    next();
  });
  app.use(ofrep({ provider, context, flags: KEYS, values: 'typed', push: true }));
  app.get('/page.js', (_req, res) => void res.type('js').send(script));
  app.get('/', async (_req, res) => {
    const flags = await provider.evaluateAll(context(), KEYS);
    const json = JSON.stringify(flags).replaceAll('<', '\\u003c');
    res.send(`<!doctype html><title>Shop</title><link rel="icon" href="data:,"><div id="root">${rendered(flags)}</div>
      <script type="application/json" id="flags">${json}</script>
      <script>${RECORDER}</script><script src="/page.js"></script>`);
  });
  const server = await listening(app);
  onTestFinished(server.close);
  return {
    url: server.url,
    async answerFirst() {
      await asked;
      gate.emit('answer');
    },
    answerAll() {
      isOpen = true;
      gate.emit('answer');
    },
  };
}
