/** An app on the adapter and the Nest that its arguments name. Decorators are applied as functions: it is not compiled. */
import 'reflect-metadata';
import { strict as assert } from 'node:assert';
import { createRequire } from 'node:module';
import { Controller, Get, Logger, Module, Post, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { contextFactory, FliptModule, RequireFlag, setRequestContext } from 'openfeature-flipt-provider/nest';

const { version } = createRequire(import.meta.url)('@nestjs/core/package.json');
const [, , adapterName, major] = process.argv;
assert.equal(version.split('.')[0], major);

const service = await startLocalService({
  features: {
    flags: [
      {
        key: 'members-only',
        type: 'BOOLEAN_FLAG_TYPE',
        enabled: false,
        rollouts: [{ segment: { key: 'ada', value: true } }],
      },
    ],
    segments: [
      {
        key: 'ada',
        constraints: [
          { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'prefix', value: 'ada' },
        ],
      },
    ],
  },
});

class UserGuard {
  async canActivate(context) {
    await new Promise(setImmediate);
    const request = context.switchToHttp().getRequest();
    request.user = request.query.user;
    return true;
  }
}

/** As that of @openfeature/nestjs-sdk, which has no release for each Nest. */
class EvaluationContextInterceptor {
  contextFactory = undefined;
  intercept(executionContext, next) {
    let handled;
    OpenFeature.setTransactionContext(this.contextFactory?.(executionContext) ?? {}, () => {
      handled = next.handle();
    });
    return handled;
  }
}

const send = (events) => {
  for (const { name, targetingKey } of events) console.log(`tracked: ${name} by ${targetingKey}`);
};

const membersOnly = () => OpenFeature.getClient().getBooleanValue('members-only', false);

class AppController {
  guarded() {
    return ['in'];
  }
  async who() {
    await new Promise(setImmediate);
    return [contextFactory().targetingKey, await membersOnly()];
  }
  bought() {
    OpenFeature.getClient().track('forgotten');
    OpenFeature.getClient().track('purchase', contextFactory());
    return [];
  }
  async open() {
    const before = await membersOnly();
    setRequestContext({ targetingKey: 'ada' });
    return [before, await membersOnly()];
  }
}
decorate(AppController, 'guarded', Get('guarded'), RequireFlag('members-only', { default: false }));
decorate(AppController, 'who', Get('who'));
decorate(AppController, 'bought', Get('bought'));
decorate(AppController, 'open', Post('open'));
UseGuards(UserGuard)(AppController);
Controller()(AppController);

class AppModule {}
Module({
  imports: [
    FliptModule.forRootAsync({
      useFactory: () => ({
        provider: new FliptProvider({
          url: service.url,
          deadlineMs: 15_000,
          http: { timeoutMs: 15_000 },
          tracking: { send, flags: [] },
        }),
        context: ({ user }) => ({ targetingKey: user }),
        prefetch: ['members-only'],
      }),
    }),
  ],
  controllers: [AppController],
})(AppModule);

const newAdapter = {
  express: async () => new (await import('@nestjs/platform-express')).ExpressAdapter(),
  fastify: async () => new (await import('@nestjs/platform-fastify')).FastifyAdapter(),
};
Logger.overrideLogger(['error']);
const app = await NestFactory.create(AppModule, await newAdapter[adapterName]());
app.useGlobalInterceptors(new EvaluationContextInterceptor());
await app.listen(0, '127.0.0.1');
console.log(`http://localhost:${new URL(await app.getUrl()).port}/`);
process.once('SIGINT', async () => {
  await app.close();
  console.log(`closed: ${!(await membersOnly())}`);
  await service.close();
});

function decorate(type, name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(type.prototype, name);
  for (const decorator of decorators) decorator(type.prototype, name, descriptor);
}
