import { Inject } from '@nestjs/common';

/** All copies of this package share the symbol. */
export function providerToken(domain: string | undefined): symbol {
  return Symbol.for(`openfeature-flipt-provider.provider${domain === undefined ? '' : `:${domain}`}`);
}

/**
 * Injects the provider that `FliptModule` has registered for an OpenFeature domain: the default one unless named. For
 * `forRootAsync`, the domain must stand beside `useFactory`. With only one `FliptModule`, the class `FliptProvider` is
 * a token, too: `app.get(FliptProvider)`.
 *
 * @example
 * ```ts
 * import { Injectable } from '@nestjs/common';
 * import { FliptProvider } from 'openfeature-flipt-provider';
 * import { InjectFlipt } from 'openfeature-flipt-provider/nest';
 *
 * \@Injectable()
 * class FlagChanges {
 *   constructor(\@InjectFlipt() private readonly flipt: FliptProvider) {}
 *
 *   apply(flagKeys: string[]) {
 *     this.flipt.invalidate(flagKeys);
 *   }
 * }
 * ```
 */
export function InjectFlipt(domain?: string): ParameterDecorator & PropertyDecorator {
  return Inject(providerToken(domain));
}
