import { onTestFinished } from 'vitest';
import { openTransport } from '../../src/http/exchange.js';
import { clientSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { scriptedServer, type Script } from '../servers/scripted.fixture.js';

/** Closes something after the test, the last one first. */
export const atEnd = (close: () => Promise<unknown>): void => {
  onTestFinished(async () => {
    await close();
  });
};

export async function serving(script: Script) {
  const server = await scriptedServer(script);
  atEnd(server.close);
  return server;
}

export function transportTo(url: string, more: object = {}) {
  const clock = manualClock();
  const transport = openTransport(clientSettings({ url, ...more }, {}), runtimeOf(clock));
  atEnd(transport.close);
  return { clock, ...transport };
}
