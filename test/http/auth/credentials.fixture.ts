import type { Reporter } from '../../../src/model/events/reporter.js';
import { Credentials, credentialSource } from '../../../src/http/auth.js';
import type { AuthOptions } from '../../../src/options/connection-options.js';
import type { Clock } from '../../../src/base/time/clock.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';

/** Makes credentials that need no login, and come within 500 ms. */
export function credentialsWith(
  auth: AuthOptions | undefined,
  clock: Clock = manualClock(),
  reporter?: Reporter,
): Credentials {
  const settings = {
    auth,
    url: 'http://flipt.test',
    http: { timeoutMs: 500, retries: 0, proxy: undefined, whyNoProxy: undefined },
  };
  const send = () => Promise.reject(new Error('a login was sent'));
  const runtime = runtimeOf(clock, reporter);
  return new Credentials(credentialSource(settings, send, new AbortController().signal, runtime), runtime);
}
