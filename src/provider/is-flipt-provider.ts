import { isObject } from '../base/text/describe.js';
import { FLIPT_PROVIDER, type FliptProvider } from './provider.js';

/**
 * Whether a value is a `FliptProvider`, of whichever copy of this package: a bundle, or ES modules and CommonJS in one
 * process, have a class each, so `instanceof` may be false for a provider that works. Another copy may have another
 * version.
 *
 * @example
 * ```ts
 * import { OpenFeature } from '@openfeature/server-sdk';
 * import { isFliptProvider } from 'openfeature-flipt-provider';
 *
 * const provider = OpenFeature.getProvider();
 * if (isFliptProvider(provider)) provider.invalidate(['new-checkout']);
 * ```
 */
export function isFliptProvider(provider: unknown): provider is FliptProvider {
  return isObject(provider) && FLIPT_PROVIDER in provider;
}
