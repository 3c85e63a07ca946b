import { isObject } from '../base/text/describe.js';
import { FLIPT_PROVIDER, type FliptProvider } from './provider.js';

/**
 * Also for a provider of another copy of this package, where `instanceof` would be `false`: a bundle, or an ES module
 * beside CommonJS. The other copy can have another version.
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
