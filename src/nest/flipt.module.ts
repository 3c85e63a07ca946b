import {
  Inject,
  Module,
  type DynamicModule,
  type FactoryProvider,
  type ModuleMetadata,
  type NestModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { HttpAdapterHost, ModuleRef } from '@nestjs/core';
import * as v from 'valibot';
import { checkOptions, type OptionRules } from '../options/check-options.js';
import { callable, list, members } from '../options/option-shapes.js';
import { runInTransactionContext, type ClosingResponse } from '../index.js';
import type { FliptModuleOptions } from './module-options.js';
import { register, type Registration } from './registration.js';
import { openRequestState, type Exchange } from './request-state.js';

/** As for other dynamic modules: what `useFactory` is given, and where that comes from. */
export interface FliptModuleAsyncOptions<R extends object = object> extends Pick<ModuleMetadata, 'imports'> {
  /** What `useFactory` is given, in this order. Default: nothing. */
  readonly inject?: FactoryProvider['inject'];
  /** Makes the options, or a promise of them. */
  readonly useFactory: FactoryProvider<FliptModuleOptions<R>>['useFactory'];
}

const ASYNC_RULES: OptionRules = {
  owner: 'FliptModule.forRootAsync',
  shape: members({ useFactory: callable(), imports: v.optional(list), inject: v.optional(list) }),
  showsText: () => true,
};

const REGISTRATION = Symbol('flipt registration');
const OPTIONS = Symbol('flipt options');

interface FastifyRequest {
  readonly raw: object;
}
interface FastifyReply {
  readonly raw: ClosingResponse;
}
interface Fastify {
  addHook(
    name: 'onRequest',
    hook: (request: FastifyRequest, reply: FastifyReply, done: () => void) => void,
  ): void;
}

/**
 * Registers the provider when the app starts, closes it, and only it, when the app shuts down (which Nest does on a
 * signal only after `app.enableShutdownHooks()`), and gives each HTTP request its context and one view of its flags,
 * on Express and on Fastify. Clients and decorators for values are those of \@openfeature/nestjs-sdk; its releases up to
 * 0.2.5 ask for Nest 11 at most, so with Nest 12 take clients from `OpenFeature.getClient()`.
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
 *     OpenFeatureModule.forRoot({ useGlobalInterceptor: false }),
 *   ],
 * })
 * class AppModule {}
 * ```
 */
export class FliptModule implements NestModule, OnApplicationShutdown {
  readonly #host: HttpAdapterHost;
  readonly #module: ModuleRef;

  /** Called by Nest, which knows what to hand in. */
  constructor(host: HttpAdapterHost, module: ModuleRef) {
    this.#host = host;
    this.#module = module;
  }

  /** The module with options at hand; all of them have defaults. A wrong one is a TypeError at the app's start. */
  static forRoot<R extends object = object>(options: FliptModuleOptions<R> = {}): DynamicModule {
    return moduleWith({ provide: OPTIONS, useValue: options });
  }

  /** The module with options from a factory, as where they come from a configuration service. Checked likewise. */
  static forRootAsync<R extends object = object>(options: FliptModuleAsyncOptions<R>): DynamicModule {
    checkOptions(ASYNC_RULES, options);
    const { imports = [], inject = [], useFactory } = options;
    return { ...moduleWith({ provide: OPTIONS, inject, useFactory }), imports };
  }

  /** Called by Nest before the middleware of any module is put in place. */
  configure(): void {
    const { options } = this.#registration();
    const begin = (exchange: Exchange, next: () => void) => {
      runInTransactionContext(openRequestState(exchange, options).context, next);
    };
    const adapter = this.#host.httpAdapter;
    if (adapter.getType() === 'fastify') {
      // A hook, as only hooks see the request that guards will see; `done` goes on in the transaction context.
      adapter.getInstance<Fastify>().addHook('onRequest', (request, reply, done) => {
        begin({ request, raw: { request: request.raw, response: reply.raw } }, done);
      });
      return;
    }
    adapter.use((request: object, response: ClosingResponse, next: () => void) => {
      begin({ request, raw: { request, response } }, next);
    });
  }

  /** Called by Nest; closes the provider. */
  async onApplicationShutdown(): Promise<void> {
    await this.#registration().close();
  }

  /** Not injected: as a parameter it would be one of the public types. */
  #registration(): Registration {
    return this.#module.get<Registration>(REGISTRATION, { strict: true });
  }
}

Module({})(FliptModule);
Inject(HttpAdapterHost)(FliptModule, undefined, 0);
Inject(ModuleRef)(FliptModule, undefined, 1);

function moduleWith(options: NonNullable<DynamicModule['providers']>[number]): DynamicModule {
  return {
    module: FliptModule,
    providers: [options, { provide: REGISTRATION, inject: [OPTIONS], useFactory: register }],
  };
}
