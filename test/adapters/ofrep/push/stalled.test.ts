import express4 from 'express4';
import express5 from 'express';
import { describe, it } from 'vitest';
import { ofrep } from '../../../../src/adapters/express/index.js';
import { eventually } from '../../../eventually.fixture.js';
import { localService, open } from '../../../provider/open.fixture.js';
import { FEATURES, KEYS } from '../features.fixture.js';
import { hosted } from '../hosts.fixture.js';
import { follow } from './events.fixture.js';

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('a connection that takes nothing more, over %s', (_, express) => {
  async function stalled() {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url });
    const state = { writes: 0, hasClosed: false };
    const host = () => {
      const app = express();
      app.use((_req, res, next) => {
        res.write = () => {
          state.writes += 1;
          return false;
        };
        Object.defineProperty(res, 'writableNeedDrain', { get: () => state.writes > 0 });
        res.on('close', () => (state.hasClosed = true));
        next();
      });
      app.use(ofrep({ provider, flags: KEYS, push: true, context: () => ({ targetingKey: 'ada' }) }));
      return app;
    };
    await follow(`${await hosted(host, { flags: KEYS })}/ofrep/v1/evaluate/flags`);
    await eventually(() => state.writes === 1);
    return { provider, state };
  }

  it('is closed when its stream has dropped it', async () => {
    const { provider, state } = await stalled();
    await eventually(() => {
      provider.invalidate();
      return state.hasClosed;
    });
  });
});
