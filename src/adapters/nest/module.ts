import {
  Global,
  Inject,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type NestModule,
  type OnApplicationShutdown,
  type Provider as NestProvider,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { messageOf, quoted } from '../../base/text/describe.js';
import { systemClock } from '../../base/time/clock.js';
import { inTime } from '../../base/time/in-time.js';
import { FliptProvider } from 'openfeature-flipt-provider';
import { checkOptions } from '../../options/check-options.js';
import { endStreams } from '../ofrep/push.js';
import { runRequest } from './context.js';
import { asyncRules, moduleRules, type FliptModuleAsyncOptions, type FliptModuleOptions } from './options.js';
import { appsProvider, type AppsProvider } from './apps-provider.js';

const REGISTRATION = Symbol('flipt registration');
const OPTIONS = Symbol('flipt options');

interface Registration extends AppsProvider {
  readonly options: FliptModuleOptions;
}

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

  /** A wrong option makes the start of the app fail with a TypeError that names it. */
  static forRoot<R extends object = object>(options: FliptModuleOptions<R> = {}): DynamicModule {
    // `null` is reported at the start of the app.
    const { domain } = (options as FliptModuleOptions<R> | null) ?? {};
    return moduleWith({ provide: OPTIONS, useValue: options }, domain);
  }

  /** The options come from a factory, into which Nest injects your services. */
  static forRootAsync<R extends object = object>(options: FliptModuleAsyncOptions<R>): DynamicModule {
    checkOptions(asyncRules, options);
    const { domain, imports = [], inject = [], useFactory } = options;
    const factory = {
      provide: OPTIONS,
      inject,
      useFactory: async (...injected: unknown[]): Promise<object> =>
        withDomain(await useFactory(...injected), domain),
    };
    return { ...moduleWith(factory, domain), imports };
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

function moduleWith(options: NestProvider, domain: string | undefined): DynamicModule {
  const provider = ({ provider }: Registration) => provider;
  return {
    module: FliptModule,
    providers: [
      options,
      { provide: REGISTRATION, inject: [OPTIONS], useFactory: register },
      { provide: FliptProvider, inject: [REGISTRATION], useFactory: provider },
      { provide: providerToken(domain), inject: [REGISTRATION], useFactory: provider },
    ],
    exports: [FliptProvider, providerToken(domain)],
  };
}

function withDomain(options: object, domain: string | undefined): object {
  if (domain === undefined) return options;
  const { domain: returned } = checkOptions(moduleRules, options);
  if (returned === undefined || returned === domain) return { ...options, domain };
  throw new TypeError(
    `FliptModule.forRootAsync: domain: useFactory returned ${quoted(returned)}, expected ${quoted(domain)}`,
  );
}

async function register(options: FliptModuleOptions): Promise<Registration> {
  const {
    domain,
    readyTimeoutMs,
    required,
    provider = new FliptProvider(),
  } = checkOptions(moduleRules, options);
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
