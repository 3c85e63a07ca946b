import { isObject } from '../base/text/describe.js';
import { FLIPT_PROVIDER, type FliptProvider } from './provider.js';

/**
 * Returns `true` if a value is a `FliptProvider`, even one that another copy of this package has made. Use this
 * function instead of `instanceof`, which is `false` for a provider of another copy. A process can have several copies
 * of the class, for example if code is bundled, or if it loads this package as an ES module and as CommonJS. Another
 * copy of this package can have another version.
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
