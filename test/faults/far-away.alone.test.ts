import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { FliptClient } from '../../src/client/index.js';
import { FliptProvider } from '../../src/index.js';
import { startLocalService } from '../../src/local/index.js';
import { FEATURES } from '../provider/features.fixture.js';
import { tlsFront } from '../servers/tls-front.fixture.js';
import { useTurningClock } from '../turning-clock.fixture.js';
import { authority } from './node-server.fixture.js';

const clock = useTurningClock(1);
const ONE_WAY_MS = 125;

/** A way on which each byte takes 125 ms, so that TCP, TLS and the answer take 250 ms each. */
async function farAway(url: string): Promise<string> {
  const sockets = new Set<Socket>();
  const late = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => void clock.passes(ONE_WAY_MS).then(() => to.write(bytes)));
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
  };
  const relay = createServer((near) => {
    sockets.add(near);
    near.pause();
    void clock.passes(2 * ONE_WAY_MS).then(() => {
      const far = connect(Number(new URL(url).port), '127.0.0.1');
      late(near, far);
      late(far, near);
      near.resume();
    });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    relay.close();
  });
  return `https://127.0.0.1:${(relay.address() as AddressInfo).port}`;
}

it.each(['remote', 'in-process'] as const)(
  'with 250 ms of round trip over TLS, a %s provider with the default options starts and answers',
  async (evaluation) => {
    const service = await startLocalService({ features: FEATURES, semantics: 'v2' });
    onTestFinished(() => service.close());
    const url = await farAway((await tlsFront(service.url)).url);
    const provider = new FliptProvider({ url, evaluation, http: { tls: { ca: authority.cert } } });
    onTestFinished(() => provider.onClose());
    await provider.initialize();
    expect(
      await provider.resolveStringEvaluation('colour', 'the default', { targetingKey: 'ann' }),
    ).toMatchObject({ value: 'blue' });
  },
);

it('so does a typed client without retries, whose calls have time for connecting, too', async () => {
  const service = await startLocalService({ features: FEATURES, semantics: 'v1' });
  onTestFinished(() => service.close());
  const url = await farAway((await tlsFront(service.url)).url);
  await using client = new FliptClient({ url, http: { retries: 0, tls: { ca: authority.cert } } });
  expect(await client.flags.list('default')).toHaveProperty('flags');
});
