import { expect, it, vi } from 'vitest';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import { withRetries } from '../../src/http/retry.js';
import { openTransport } from '../../src/http/exchange.js';
import { clientSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { signal } from '../signal.fixture.js';
import { authorizedWith } from './auth/credentials.fixture.js';
import { replied, REQUEST, sending } from './outcomes.fixture.js';
import { atEnd, serving } from './transport.fixture.js';

it('each attempt is reported with its outcome and duration', async () => {
  const [asked, release] = [signal(), signal()];
  const server = await serving(async (_, response) => {
    asked.give();
    await release.given;
    response.writeHead(503).end();
  });
  const clock = manualClock();
  const diagnostics = openDiagnostics();
  const { send, close } = openTransport(
    clientSettings({ url: server.url }, {}),
    runtimeOf(clock, diagnostics),
  );
  atEnd(close);
  const attempts: unknown[] = [];
  diagnostics.listen('attempt', (event) => attempts.push(event));
  const ended = send(REQUEST);
  await asked.given;
  await clock.advance(30);
  release.give();
  await ended;
  expect(attempts).toEqual([{ type: 'attempt', failure: 'gateway', durationMs: 30 }]);
});

it('a 304 is a failed attempt only if no ETag was sent', async () => {
  const server = await serving((_, response) => response.writeHead(304).end());
  const diagnostics = openDiagnostics();
  const settings = clientSettings({ url: server.url }, {});
  const { send, close } = openTransport(settings, runtimeOf(manualClock(), diagnostics));
  atEnd(close);
  const failures: unknown[] = [];
  diagnostics.listen('attempt', ({ failure }) => failures.push(failure));
  await send({ ...REQUEST, method: 'GET', headers: { 'if-none-match': 'abc' } });
  await send({ ...REQUEST, method: 'GET' });
  expect(failures).toEqual([undefined, 'unexpected-status']);
});

it('a retry is reported with its number, its delay and its reason', async () => {
  const clock = manualClock();
  const diagnostics = openDiagnostics();
  const retries: unknown[] = [];
  diagnostics.listen('retry', (event) => retries.push(event));
  const { send } = sending(replied(503), replied(200));
  const settings = { retries: 2, withinMs: 1_000 };
  const ended = withRetries(send, settings, runtimeOf(clock, diagnostics))(REQUEST);
  await clock.advance(25);
  await ended;
  expect(retries).toEqual([{ type: 'retry', attempt: 2, delayMs: 25, failure: 'gateway' }]);
});

it('a refresh of the credentials is reported once for all waiting requests, and so is its failure', async () => {
  const diagnostics = openDiagnostics();
  const refreshes: unknown[] = [];
  diagnostics.listen('credentials-refreshed', ({ failure }) => refreshes.push(failure));
  const headers = vi.fn(() => ({ authorization: 'dummy' }));
  const { send } = sending(replied(401));
  const asking = authorizedWith(send, { headers }, manualClock(), diagnostics);
  await Promise.all([asking(REQUEST), asking(REQUEST)]);
  expect(refreshes).toEqual([undefined]);
  headers.mockReturnValueOnce({ authorization: 'dummy' }).mockImplementation(() => {
    throw new Error('no');
  });
  await asking(REQUEST);
  expect(refreshes).toEqual([undefined, 'credentials']);
});
