import { afterEach } from 'vitest';
import { openTransport } from '../../src/http/transport.js';
import { clientSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { scriptedServer, type Script } from '../servers/scripted.fixture.js';

export const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

export async function serving(script: Script) {
  const server = await scriptedServer(script);
  closing.push(server.close);
  return server;
}

export function transportTo(url: string, more: object = {}) {
  const clock = manualClock();
  const transport = openTransport(clientSettings({ url, ...more }, {}), clock);
  closing.push(transport.close);
  return { clock, ...transport };
}
