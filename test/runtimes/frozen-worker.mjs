/* A worker as docs/runtimes.md shows it. Requests share providers, and no work goes on between them. */
import { env } from 'cloudflare:workers';
import { FliptProvider } from 'openfeature-flipt-provider';
import initial from './flags.json';

const store = {
  load: async () => (await env.FLAGS.get('flipt')) ?? undefined,
  save: (text) => env.FLAGS.put('flipt', text),
};
const watch = { background: false, pollMs: 100 };
const http = { timeoutMs: 5_000 };
const common = { url: env.FLIPT_URL, watch, http, deadlineMs: 5_000 };
const providers = {
  plain: new FliptProvider(common),
  kept: new FliptProvider({ ...common, snapshot: { store } }),
  // Of a Flipt that does not answer.
  copy: new FliptProvider({
    ...common,
    url: 'http://127.0.0.1:1',
    snapshot: { initial },
  }),
};
// Sends nothing, so it may stand here, where a worker may not send.
for (const provider of Object.values(providers)) await provider.initialize();

export default {
  async fetch(request, _, context) {
    const { pathname, searchParams } = new URL(request.url);
    const provider = providers[searchParams.get('mode')];
    if (pathname === '/refresh') {
      await provider.refresh();
      return Response.json(provider.getStatus());
    }
    const user = { targetingKey: searchParams.get('user') ?? '' };
    const resolved = await provider.resolveBooleanEvaluation('switched', false, user);
    if (pathname !== '/alone') context.waitUntil(provider.refresh());
    return Response.json(resolved);
  },
};
