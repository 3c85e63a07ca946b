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
import { randomUUID } from 'node:crypto';
import { checkOptions } from '../../options/check-options.js';
import { FliptProvider, runInTransactionContext, type ClosingResponse } from '../../index.js';
import { asyncRules, type FliptModuleAsyncOptions, type FliptModuleOptions } from './module-options.js';
import { optionsFactory, register, type Registration } from './app-providers.js';
import { openRequestState, stateIn, type Exchange } from './request-state.js';
import { completeSdkInterceptors } from './sdk-interceptor.js';

const REGISTRATION = Symbol('flipt registration');
const OPTIONS = Symbol('flipt options');
const IDENTITY = Symbol('flipt module');

/** Fastify's request or reply, which wraps Node's own. */
interface Wrapping<Raw> {
  readonly raw: Raw;
}

interface Fastify {
  addHook(name: 'onRequest', hook: OnRequest): void;
}

type OnRequest = (request: Wrapping<object>, reply: Wrapping<ClosingResponse>, done: () => void) => void;

/**
 * Registers the provider when the app starts and closes it when the app shuts down (on a signal, Nest does so only
 * after `app.enableShutdownHooks()`). If several apps share a provider, the last one closes it. After a failed start
 * with `required: true`, the closed provider stays registered and gives defaults. Gives each HTTP request its context
 * and one view of its flags, on Express and Fastify. Clients and decorators for values come from
 * \@openfeature/nestjs-sdk. That package, up to its version 0.2.5, needs Nest 11 or older: with Nest 12, use
 * `OpenFeature.getClient()`.
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

  /** Called by Nest. */
  constructor(host: HttpAdapterHost, module: ModuleRef) {
    this.#host = host;
    this.#module = module;
  }

  /**
   * The module with these options, which all have defaults. When the app starts, a wrong option is a TypeError, and a
   * second module for the same domain is an Error.
   */
  static forRoot<R extends object = object>(options: FliptModuleOptions<R> = {}): DynamicModule {
    // Wrong options are reported only when the app starts.
    const { domain } = (options as FliptModuleOptions<R> | null) ?? {};
    return moduleWith({ provide: OPTIONS, useValue: options }, domain);
  }

  /** The module with options from a factory, for example from a configuration service. Checked in the same way. */
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

  /** Called by Nest before the middleware of any module is put in place. */
  configure(): void {
    completeSdkInterceptors(this.#module);
    const { options } = this.#registration();
    const begin = (exchange: Exchange, next: () => void) => {
      runInTransactionContext(openRequestState(exchange, options).context, next);
    };
    const adapter = this.#host.httpAdapter;
    if (adapter.getType() === 'fastify') {
      // A hook, because middleware does not see the same request object as guards. `done` continues in the transaction
      // context.
      adapter.getInstance<Fastify>().addHook('onRequest', (request, reply, done) => {
        begin({ request, raw: { request: request.raw, response: reply.raw } }, done);
      });
      return;
    }
    adapter.use((request: object, response: ClosingResponse, next: () => void) => {
      begin({ request, raw: { request, response } }, next);
    });
  }

  /** Called by Nest; closes the provider, within 2 s. */
  async onApplicationShutdown(): Promise<void> {
    await this.#registration().close();
  }

  /** Not a parameter of the constructor, because its type would become public. */
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
// Global, so that the provider can be injected anywhere.
Global()(FliptModule);
Inject(HttpAdapterHost)(FliptModule, undefined, 0);
Inject(ModuleRef)(FliptModule, undefined, 1);

/** Marks the end of the guards: global interceptors run after them. */
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
      // Nest 10 takes modules that look alike for one: a second provider would never be registered, without an error.
      { provide: IDENTITY, useValue: randomUUID() },
      { provide: REGISTRATION, inject: [OPTIONS, ModulesContainer], useFactory: register },
      { provide: FliptProvider, inject: [REGISTRATION], useFactory: provider },
      { provide: providerToken(domain), inject: [REGISTRATION], useFactory: provider },
      { provide: APP_INTERCEPTOR, useValue: handlerPhase },
    ],
    exports: [FliptProvider, providerToken(domain)],
  };
}

/** All copies of this package share the symbol. */
function providerToken(domain: string | undefined): symbol {
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
