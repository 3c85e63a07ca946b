import { subscribe } from 'node:diagnostics_channel';
import { FliptProvider } from '@openfeature/flipt-provider';

const SINGLE = /^\/evaluate\/v1\/(boolean|variant)$/;

/** The provider that the OpenFeature organisation publishes, with its defaults, and the number of its requests. */
export function existingProvider(url) {
  let sent = 0;
  // It sends with `fetch`, and nothing else here asks for one flag at a time.
  subscribe('undici:request:create', ({ request }) => {
    if (SINGLE.test(request.path)) sent += 1;
  });
  return { provider: new FliptProvider('default', { url }), requests: () => sent };
}
