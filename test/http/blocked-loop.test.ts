import { describe, expect, it } from 'vitest';
import { openTransport } from '../../src/http/exchange.js';
import type { HttpDispatcherResponse } from '../../src/options/http-dispatcher.js';
import { clientSettings } from '../../src/options/settings.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { REQUEST } from './outcomes.fixture.js';

/** A transport; the test ends its turns of the event loop and its response by hand. */
function waiting() {
  const clock = manualClock();
  const turns: (() => void)[] = [];
  const responses: ((response: HttpDispatcherResponse) => void)[] = [];
  const dispatcher = {
    request: () => new Promise<HttpDispatcherResponse>((resolve) => responses.push(resolve)),
  };
  const { send } = openTransport(
    clientSettings({ url: 'http://flipt.test', http: { dispatcher, timeoutMs: 500 } }, {}),
    runtimeOf({ ...clock, endOfTurn: (run) => turns.push(run) }),
  );
  const outcome = send(REQUEST);
  return {
    clock,
    outcome,
    endTurn: () => {
      for (const run of turns.splice(0)) run();
    },
    respond: async () => {
      const body = (async function* () {
        yield* [Buffer.from('{}')];
      })();
      responses[0]?.({ statusCode: 200, headers: {}, body });
      await clock.settle();
    },
  };
}

describe('a time-out of a blocked event loop', () => {
  it('comes after a response that waits in the socket', async () => {
    const { clock, outcome, respond, endTurn } = waiting();
    clock.block(3_700);
    await clock.advance(0);
    await respond();
    endTurn();
    expect(await outcome).toMatchObject({ kind: 'reply', status: 200 });
  });
});
