/*
 * Gives the flags of a server-rendered page to OpenFeature's web SDK, and then follows their changes:
 * docs/browser.md#a-server-rendered-page.
 */
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { InMemoryProvider, OpenFeature } from '@openfeature/web-sdk';

/**
 * The value that `ofrep({ values: 'typed' })` gives, too. If your handler has no `values: 'typed'`, use `value` alone.
 */
const shown = ({ value, attachment }) =>
  typeof attachment === 'object' || typeof attachment === 'number' ? attachment : value;

/** Shows the flags that `evaluateAll` has given to the server. They are there at once. */
export function showFlags(flags) {
  const known = Object.entries(flags).map(([key, flag]) => {
    const variant = String(flag.variant);
    const disabled = flag.variant === null; // the page gets its default
    return [key, { variants: { [variant]: shown(flag) }, defaultVariant: variant, disabled }];
  });
  OpenFeature.setProvider(new InMemoryProvider(Object.fromEntries(known)));
}

/** Replaces them by the app's current flags as soon as these arrive. */
export function followFlags() {
  const live = new OFREPWebProvider({
    baseUrl: location.origin,
    cacheMode: 'disabled',
    pollInterval: 30_000,
  });
  live.initialize(OpenFeature.getContext()).then(
    // Without `initialize`, the SDK takes the provider for ready, and does not show defaults in the meantime.
    () => OpenFeature.setProvider(Object.assign(live, { initialize: undefined, hooks: [] })),
    () => setTimeout(followFlags, 30_000),
  );
}
