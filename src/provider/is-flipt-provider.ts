import { isObject } from '../base/text/describe.js';
import { FLIPT_PROVIDER, type FliptProvider } from './provider.js';

/**
 * Returns whether a value is a `FliptProvider`, of whichever copy of this package. Use this function instead of
 * `instanceof`, which can be false for a provider that works: a bundle has a class of its own, and so have ES modules
 * and CommonJS in one process. Another copy of this package can have another version.
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
