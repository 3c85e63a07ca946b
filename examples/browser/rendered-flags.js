/*
 * Gives the flags of a server-rendered page to OpenFeature's web SDK, then follows the app:
 * docs/browser.md#a-server-rendered-page.
 */
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { InMemoryProvider, OpenFeature } from '@openfeature/web-sdk';

/** Of `ofrep({ values: 'typed' })`. Without it, only `value`. */
const shown = ({ value, attachment }) =>
  typeof attachment === 'object' || typeof attachment === 'number' ? attachment : value;

/** What `evaluateAll` has given, at once. */
export function showFlags(flags) {
  const known = Object.entries(flags).map(([key, flag]) => {
    const variant = String(flag.variant);
    const disabled = flag.variant === null; // gives the default
    return [key, { variants: { [variant]: shown(flag) }, defaultVariant: variant, disabled }];
  });
  OpenFeature.setProvider(new InMemoryProvider(Object.fromEntries(known)));
}

/** Then the app's flags, once they have arrived. */
export function followFlags() {
  const live = new OFREPWebProvider({
    baseUrl: location.origin,
    cacheMode: 'disabled',
    pollInterval: 30_000,
  });
  live.initialize(OpenFeature.getContext()).then(
    // Without `initialize`, the SDK takes it for ready, and does not show defaults meanwhile.
    () => OpenFeature.setProvider(Object.assign(live, { initialize: undefined, hooks: [] })),
    () => setTimeout(followFlags, 30_000),
  );
}
