import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type NestInterceptor,
  type NestModule,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { APP_INTERCEPTOR, HttpAdapterHost, ModuleRef, ModulesContainer } from '@nestjs/core';
import { nodeModules } from '../../base/node-modules.js';
import { checkOptions } from '../../options/check-options.js';
import { FliptProvider, runInTransactionContext } from 'openfeature-flipt-provider';
import { asyncRules, type FliptModuleAsyncOptions, type FliptModuleOptions } from './module-options.js';
import { optionsFactory, register, type Registration } from './app-providers.js';
import { openRequestState, stateIn, type Exchange } from './request-state.js';
import { completeSdkInterceptors } from './sdk-interceptor.js';

const REGISTRATION = Symbol('flipt registration');
const OPTIONS = Symbol('flipt options');
const IDENTITY = Symbol('flipt module');

/** A request or reply of Fastify, which contains Node's own request or response. */
interface Wrapping<Raw> {
  readonly raw: Raw;
}

interface Fastify {
  addHook(name: 'onRequest', hook: OnRequest): void;
}

type OnRequest = (request: Wrapping<object>, reply: unknown, done: () => void) => void;

/**
 * Registers the provider when the app starts, and closes it when the app shuts down. On a signal such as SIGTERM, Nest
 * shuts the app down only if you have called `app.enableShutdownHooks()`. If several apps share a provider, the last
 * app that shuts down closes it. After a failed start with `required: true`, the closed provider stays registered, and
 * OpenFeature's clients get defaults.
 *
 * The module also gives each HTTP request, on Express and Fastify, its evaluation context, and one view of the flags:
 * for up to 30 s, a flag that is resolved again with the same context usually has the same value. Use
 * \@openfeature/nestjs-sdk for injected clients and for decorators that inject values. Up to version 0.2.5,
 * \@openfeature/nestjs-sdk needs Nest 11 or older: with Nest 12, use `OpenFeature.getClient()`.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { OpenFeatureModule } from '@openfeature/nestjs-sdk';
 * import { FliptProvider } from 'openfeature-flipt-provider';
 * import { FliptModule } from 'openfeature-flipt-provider/nest';
 *
 * \@Module({
 *   imports: [
 *     FliptModule.forRoot({
 *       provider: new FliptProvider({ url: 'http://localhost:8080' }),
 *       context: (request: { user?: { id: string } }) => ({ targetingKey: request.user?.id ?? 'anonymous' }),
 *     }),
 *     OpenFeatureModule.forRoot({}),
 *   ],
 * })
 * class AppModule {}
 * ```
 */
export class FliptModule implements NestModule, OnApplicationShutdown {
  readonly #host: HttpAdapterHost;
  readonly #module: ModuleRef;

  /** Nest calls this constructor. */
  constructor(host: HttpAdapterHost, module: ModuleRef) {
    this.#host = host;
    this.#module = module;
  }

  /**
   * Returns the module with these options. Each option has a default. A wrong option makes the start of the app fail
   * with a TypeError, and a second FliptModule for the same domain makes the start fail with an Error.
   */
  static forRoot<R extends object = object>(options: FliptModuleOptions<R> = {}): DynamicModule {
    // Wrong options are reported when the app starts, so this method must not throw.
    const { domain } = (options as FliptModuleOptions<R> | null) ?? {};
    return moduleWith({ provide: OPTIONS, useValue: options }, domain);
  }

  /**
   * Returns the module with options that a factory makes, for example from a configuration service. When the app
   * starts, the options from the factory are checked like those of `forRoot`. Throws a TypeError if `useFactory`,
   * `domain`, `imports` or `inject` is wrong.
   */
  static forRootAsync<R extends object = object>(options: FliptModuleAsyncOptions<R>): DynamicModule {
    checkOptions(asyncRules, options);
    const { domain, imports = [], inject = [] } = options;
    const factory = {
      provide: OPTIONS,
      inject: [ModulesContainer, ...inject],
      useFactory: optionsFactory(options),
    };
    return { ...moduleWith(factory, domain), imports };
  }

  /** Nest calls this method before it sets up the middleware of any module. */
  configure(): void {
    completeSdkInterceptors(this.#module);
    const { options } = this.#registration();
    const begin = (exchange: Exchange, next: () => void) => {
      runInTransactionContext(openRequestState(exchange, options).context, next);
    };
    const adapter = this.#host.httpAdapter;
    if (adapter.getType() === 'fastify') {
      // On Fastify, middleware sees another request object than guards do, so a hook is needed instead. `done`
      // continues with the request, in the transaction context.
      adapter.getInstance<Fastify>().addHook('onRequest', (request, reply, done) => {
        begin({ request, raw: { request: request.raw } }, done);
      });
      return;
    }
    adapter.use((request: object, response: object, next: () => void) => {
      begin({ request, raw: { request } }, next);
    });
  }

  /**
   * Nest calls this method when the app shuts down. The method closes the provider, unless another app still uses it. A
   * `FliptProvider` closes within 2 s.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.#registration().close();
  }

  /**
   * Returns the registration of the provider. The registration is not a parameter of the constructor, because the type
   * of a parameter would be part of the public API.
   */
  #registration(): Registration {
    try {
      return this.#module.get<Registration>(REGISTRATION, { strict: true });
    } catch (error) {
      throw new Error(
        'FliptModule: expected FliptModule.forRoot({ … }) or FliptModule.forRootAsync({ … }) in imports, once in the ' +
          'root module (it is global), got the class alone',
        { cause: error },
      );
    }
  }
}

Module({})(FliptModule);
// The module is global, so that the provider can be injected anywhere.
Global()(FliptModule);
Inject(HttpAdapterHost)(FliptModule, undefined, 0);
Inject(ModuleRef)(FliptModule, undefined, 1);

/**
 * Nest runs global interceptors after the guards, so this interceptor tells the request's state that the guards have
 * ended.
 */
const handlerPhase: NestInterceptor = {
  intercept(executionContext, next) {
    stateIn(executionContext)?.handlerBegins();
    return next.handle();
  },
};

function moduleWith(options: Provider, domain: string | undefined): DynamicModule {
  const provider = ({ provider }: Registration) => provider;
  return {
    module: FliptModule,
    providers: [
      options,
      // Nest 10 takes two modules with equal metadata for the same module, and would silently leave the second provider
      // out. The random value makes the metadata of each FliptModule different.
      { provide: IDENTITY, useValue: nodeModules.crypto.randomUUID() },
      { provide: REGISTRATION, inject: [OPTIONS, ModulesContainer], useFactory: register },
      { provide: FliptProvider, inject: [REGISTRATION], useFactory: provider },
      { provide: providerToken(domain), inject: [REGISTRATION], useFactory: provider },
      { provide: APP_INTERCEPTOR, useValue: handlerPhase },
    ],
    exports: [FliptProvider, providerToken(domain)],
  };
}

/** Returns the token by which Nest injects the provider of a domain. All copies of this package share the symbol. */
function providerToken(domain: string | undefined): symbol {
  return Symbol.for(`openfeature-flipt-provider.provider${domain === undefined ? '' : `:${domain}`}`);
}

/**
 * Injects the provider that `FliptModule` has registered for an OpenFeature domain, or for the default domain. With
 * `forRootAsync`, set the option `domain` beside `useFactory`, and not in the options that `useFactory` returns. If the
 * app has only one `FliptModule`, the class `FliptProvider` is a token, too: `app.get(FliptProvider)`.
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
