import {
  Global,
  Inject,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type FactoryProvider,
  type NestModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { messageOf } from '../../base/text/describe.js';
import { systemClock } from '../../base/time/clock.js';
import { inTime } from '../../base/time/in-time.js';
import { FliptProvider } from 'openfeature-flipt-provider';
import { checkOptions } from '../../options/check-options.js';
import { endStreams } from '../ofrep/push.js';
import { runRequest } from './context.js';
import {
  asyncRules,
  factoryRules,
  moduleRules,
  type FliptModuleAsyncOptions,
  type FliptModuleOptions,
  type Settings,
} from './options.js';
import { appsProvider } from './apps-provider.js';

const REGISTRATION = Symbol('flipt registration');

type Registration = ReturnType<typeof appsProvider> & { readonly options: FliptModuleOptions };

/** Fastify's requests contain Node's. */
interface Fastify {
  addHook(
    name: 'onRequest',
    hook: (request: { readonly raw: object }, reply: unknown, done: () => void) => void,
  ): void;
}

/**
 * Registers the provider when the app starts, and closes it when the app shuts down; on a signal, Nest shuts down only
 * after `app.enableShutdownHooks()`. Gives the evaluations of each HTTP request, on Express and Fastify, its context and
 * one view of the flags: for up to 30 s, a flag keeps its value for the same context.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { FliptProvider } from 'openfeature-flipt-provider';
 * import { FliptModule } from 'openfeature-flipt-provider/nest';
 *
 * \@Module({
 *   imports: [
 *     FliptModule.forRoot({
 *       provider: new FliptProvider({ url: 'http://localhost:8080' }),
 *       context: ({ user }: { user?: { id: string } }) => (user ? { targetingKey: user.id } : {}),
 *     }),
 *   ],
 * })
 * class AppModule {}
 * ```
 */
export class FliptModule implements NestModule, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #host: HttpAdapterHost;
  readonly #registration: Registration;

  constructor(host: HttpAdapterHost, registration: unknown) {
    this.#host = host;
    this.#registration = registration as Registration;
  }

  /** Throws a TypeError for a wrong or unknown option. */
  static forRoot<R extends object = object>(options: FliptModuleOptions<R> = {}): DynamicModule {
    const settings = checkOptions(moduleRules, options);
    return moduleWith(settings.domain, () => register(settings));
  }

  /**
   * The options come from a factory, into which Nest injects your services; only `domain` stands beside it. A wrong or
   * unknown one makes the start of the app fail with a TypeError.
   */
  static forRootAsync<R extends object = object>(options: FliptModuleAsyncOptions<R>): DynamicModule {
    checkOptions(asyncRules, options);
    const { domain, imports = [], inject, useFactory } = options;
    const registration = async (...injected: unknown[]) =>
      register({ ...checkOptions(factoryRules, await useFactory(...injected)), domain });
    return { ...moduleWith(domain, registration, inject), imports };
  }

  /** Before the middleware of any module. */
  configure(): void {
    const { options } = this.#registration;
    const adapter = this.#host.httpAdapter;
    if (adapter.getType() === 'fastify') {
      // Nest gives middleware on Fastify another request object than guards.
      adapter.getInstance<Fastify>().addHook('onRequest', (request, _reply, done) => {
        runRequest(options, request, request.raw, done);
      });
    } else {
      adapter.use((request: object, _response: unknown, next: () => void) => {
        runRequest(options, request, request, next);
      });
    }
  }

  /** The server's close would wait for the event streams of browsers. */
  beforeApplicationShutdown(): void {
    endStreams(this.#registration.provider);
  }

  /** The server is closed by then. The last app that uses the provider closes it, within 2 s. */
  async onApplicationShutdown(): Promise<void> {
    await this.#registration.close();
  }
}

Module({})(FliptModule);
// Global, so that the provider can be injected anywhere.
Global()(FliptModule);
Inject(HttpAdapterHost)(FliptModule, undefined, 0);
Inject(REGISTRATION)(FliptModule, undefined, 1);

function moduleWith(
  domain: string | undefined,
  useFactory: (...injected: unknown[]) => Promise<Registration>,
  inject: FactoryProvider['inject'] = [],
): DynamicModule {
  const provider = ({ provider }: Registration) => provider;
  return {
    module: FliptModule,
    providers: [
      { provide: REGISTRATION, inject, useFactory },
      { provide: FliptProvider, inject: [REGISTRATION], useFactory: provider },
      { provide: providerToken(domain), inject: [REGISTRATION], useFactory: provider },
    ],
    exports: [FliptProvider, providerToken(domain)],
  };
}

async function register({ readyTimeoutMs, required, ...options }: Settings): Promise<Registration> {
  const { provider = new FliptProvider(), domain } = options;
  const ours = appsProvider(provider, domain);
  const late = () => new Error(`it was not ready within ${readyTimeoutMs} ms (readyTimeoutMs)`);
  try {
    await inTime(ours.start(), readyTimeoutMs, systemClock, late);
  } catch (error) {
    const reason = messageOf(error);
    if (required) {
      // Nest calls no hook of an app that does not start.
      await ours.close();
      throw new Error(`FliptModule: the provider is not ready: ${reason}`, { cause: error });
    }
    new Logger('FliptModule').warn(`The provider is not ready, so the app gets defaults for now: ${reason}`);
  }
  return { ...ours, options };
}

/** All copies of this package share the token. */
function providerToken(domain: string | undefined): symbol {
  return Symbol.for(`openfeature-flipt-provider.provider${domain === undefined ? '' : `:${domain}`}`);
}

/**
 * Injects the provider that `FliptModule` has registered for an OpenFeature domain, or for the default domain. With
 * `forRootAsync`, set `domain` beside `useFactory`. In an app with one `FliptModule`, the class `FliptProvider` is a
 * token, too.
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
