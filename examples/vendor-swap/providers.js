import { EnvVarProvider } from '@openfeature/env-var-provider';
import { InMemoryProvider, MultiProvider } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';

/** What can be put behind the app: each makes an OpenFeature provider. */
export const PROVIDERS = {
  flipt: (url) => new FliptProvider({ url }),

  memory: () =>
    new InMemoryProvider({
      'new-checkout': flag(true),
      greeting: flag('hello'),
      limits: flag({ projects: 3 }),
    }),

  // Flags are environment variables: NEW_CHECKOUT=true GREETING=hello LIMITS='{"projects":3}'
  env: () => new EnvVarProvider(),

  // Flipt is asked first. A flag that it does not have (FLAG_NOT_FOUND) is the next one's to answer.
  multi: (url) =>
    new MultiProvider([
      { provider: new FliptProvider({ url }) },
      { provider: new InMemoryProvider({ 'legacy-banner': flag('Summer sale') }) },
    ]),
};

function flag(value) {
  return { disabled: false, defaultVariant: 'only', variants: { only: value } };
}
