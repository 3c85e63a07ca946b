import { Agent } from 'undici';
import type { HttpDispatcherRequest } from '../../src/index.js';
import { systemClock } from '../../src/base/time/clock.js';

/**
 * Makes a dispatcher during whose requests the clock stands still. The service spends a twentieth of its time on whole
 * snapshots, so that one which a busy machine delays would make the polls of all instances rare.
 */
export function untimedRequests() {
  const agent = new Agent();
  const real = { ...systemClock };
  let underWay = 0;
  let stoodSince = 0;
  let stoodMs = 0;
  systemClock.now = () => (underWay > 0 ? stoodSince : real.now()) - stoodMs;
  return {
    async request(request: HttpDispatcherRequest) {
      if (underWay++ === 0) stoodSince = real.now();
      try {
        const { statusCode, headers, body } = await agent.request(request);
        const bytes = Buffer.from(await body.arrayBuffer());
        return { statusCode, headers, body: whole(bytes) };
      } finally {
        if (--underWay === 0) stoodMs += real.now() - stoodSince;
      }
    },
  };
}

async function* whole(bytes: Buffer) {
  await Promise.resolve();
  yield bytes;
}
