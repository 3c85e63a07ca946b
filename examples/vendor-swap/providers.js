import { EnvVarProvider } from '@openfeature/env-var-provider';
import { InMemoryProvider, MultiProvider } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';

/** The providers that the app can use. Each entry is a function that makes one. */
export const PROVIDERS = {
  flipt: (url) => new FliptProvider({ url }),

  memory: () =>
    new InMemoryProvider({
      'new-checkout': flag(true),
      greeting: flag('hello'),
      limits: flag({ projects: 3 }),
    }),

  // Each flag is an environment variable: NEW_CHECKOUT=true GREETING=hello LIMITS='{"projects":3}'
  env: () => new EnvVarProvider(),

  // MultiProvider asks Flipt first. If Flipt does not have the flag (FLAG_NOT_FOUND), it asks the next provider.
  multi: (url) =>
    new MultiProvider([
      { provider: new FliptProvider({ url }) },
      { provider: new InMemoryProvider({ 'legacy-banner': flag('Summer sale') }) },
    ]),
};

function flag(value) {
  return { disabled: false, defaultVariant: 'only', variants: { only: value } };
}
