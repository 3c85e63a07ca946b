import { subscribe } from 'node:diagnostics_channel';
import { FliptProvider } from '@openfeature/flipt-provider';

const SINGLE = /^\/evaluate\/v1\/(boolean|variant)$/;

/** Creates the provider that the OpenFeature organisation publishes, with its defaults, and counts its requests. */
export function existingProvider(url) {
  let sent = 0;
  // That provider sends with `fetch`, and nothing else in this process asks for one flag at a time.
  subscribe('undici:request:create', ({ request }) => {
    if (SINGLE.test(request.path)) sent += 1;
  });
  return { provider: new FliptProvider('default', { url }), requests: () => sent };
}
