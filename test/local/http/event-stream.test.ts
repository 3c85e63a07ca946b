import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, vi } from 'vitest';
import { sendEvents } from '../../../src/local/http/responses.js';
import { listen } from '../../../src/local/http/listener.js';
import { eventually } from '../../eventually.fixture.js';

it('follows nothing for a client that has left, also where it asked for several streams at once', async () => {
  const stop = vi.fn();
  const onChange = vi.fn(() => stop);
  const listener = await listen(
    async (_, response, ending) => {
      const event = { type: 'text/event-stream', latest: () => '1', textOf: () => 'event' };
      sendEvents(response, { ...event, known: undefined, onChange }, ending);
      return Promise.resolve();
    },
    {
      port: 0,
      host: '127.0.0.1',
      headersTimeoutMs: 60_000,
      requestTimeoutMs: 60_000,
      closeTimeoutMs: 60_000,
    },
  );
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(3));
  await eventually(() => onChange.mock.calls.length === 3);
  expect(stop).not.toHaveBeenCalled();
  socket.destroy();
  await eventually(() => stop.mock.calls.length === 3);
  await listener.close();
});
