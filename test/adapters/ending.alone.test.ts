import { expect, it } from 'vitest';
import { served } from '../examples/running.fixture.js';
import { get } from '../traffic/listening.fixture.js';
import { follow } from './ofrep/push/events.fixture.js';

it.each(['express', 'nest'])(
  'an app on %s with an open event stream ends on SIGTERM, and sends the exposures that wait',
  async (host) => {
    const { url, terminate } = await served(['test/adapters/ending-app.mjs', host]);
    const events = await follow(`${url}/ofrep/v1/evaluate/flags`);
    await events.count(1);
    expect(await get(url)).toBe(true);
    expect(events.hasEnded()).toBe(false);

    const { output } = await terminate();
    expect(output).toContain('sent on');
    expect(output.match(/sent/g)).toHaveLength(1);
  },
);
