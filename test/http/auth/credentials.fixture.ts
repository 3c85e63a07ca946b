import type { Reporter } from '../../../src/model/events/reporter.js';
import { authorized, credentialSource } from '../../../src/http/auth.js';
import type { Send } from '../../../src/http/reply.js';
import type { AuthOptions } from '../../../src/options/connection-options.js';
import type { Clock } from '../../../src/base/time/clock.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';

const noLogin = () => Promise.reject(new Error('a login was sent'));

/** Sends with credentials that need no login, and come within 500 ms. */
export function authorizedWith(
  send: Send,
  auth: AuthOptions | undefined,
  clock: Clock = manualClock(),
  reporter?: Reporter,
): Send {
  const settings = {
    auth,
    url: 'http://flipt.test',
    http: { timeoutMs: 500, retries: 0, proxy: undefined, whyNoProxy: undefined },
  };
  const runtime = runtimeOf(clock, reporter);
  return authorized(
    send,
    credentialSource(settings, noLogin, new AbortController().signal, runtime),
    runtime,
  );
}
