import 'reflect-metadata';
import {
  Controller,
  Get,
  UseGuards,
  UseInterceptors,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { EvaluationContextInterceptor, OpenFeatureModule } from '@openfeature/nestjs-sdk';
import { OpenFeature, type Provider } from '@openfeature/server-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { FliptModule } from '../../../src/adapters/nest/index.js';
import { get } from '../../traffic/listening.fixture.js';
import { adapters, type Asking, WhoGuard, whose } from './app.fixture.js';

/** Its flags have the targeting key as their value. */
const provider: Provider = {
  metadata: { name: 'whose' },
  resolveBooleanEvaluation: async (_flag, value) => ({ value }),
  resolveStringEvaluation: async (_flag, value, context) => ({ value: context.targetingKey ?? value }),
  resolveNumberEvaluation: async (_flag, value) => ({ value }),
  resolveObjectEvaluation: async (_flag, value) => ({ value }),
};

@Controller()
@UseGuards(WhoGuard)
class Plain {
  @Get()
  async page(): Promise<string[]> {
    return [await whose('flag')];
  }
}

@Controller()
@UseGuards(WhoGuard)
@UseInterceptors(new EvaluationContextInterceptor())
class WithOneOfItsOwn extends Plain {}

@Controller()
@UseGuards(WhoGuard)
class OnItsHandler {
  @Get()
  @UseInterceptors(new EvaluationContextInterceptor())
  async page(): Promise<string[]> {
    return [await whose('flag')];
  }
}

/** A subclass, as people write it to add something. */
class Another extends EvaluationContextInterceptor {}

/** Keeps its factory where nobody else can reach it. */
const closed = Object.freeze(new EvaluationContextInterceptor());

let app: INestApplication | undefined;
afterEach(async () => {
  await app?.close();
  app = undefined;
  await OpenFeature.clearProviders();
});

describe.each(adapters)('on %s', (_name, adapter) => {
  const listening = async (controller: Type, ...global: readonly EvaluationContextInterceptor[]) => {
    const module = await Test.createTestingModule({
      imports: [
        FliptModule.forRoot<Asking>({
          provider,
          context: ({ user }) => ({ targetingKey: user ?? 'anonymous' }),
        }),
        OpenFeatureModule.forRoot({ useGlobalInterceptor: false }),
      ],
      controllers: [controller],
    }).compile();
    module.useLogger(false);
    app = module.createNestApplication(adapter());
    app.useGlobalInterceptors(...global);
    await app.listen(0, '127.0.0.1');
    return app.getUrl();
  };

  it.each<[string, Type, readonly EvaluationContextInterceptor[]]>([
    ['app.useGlobalInterceptors', Plain, [new EvaluationContextInterceptor()]],
    ['app.useGlobalInterceptors, of a subclass', Plain, [new Another()]],
    ['a controller', WithOneOfItsOwn, []],
    ['a handler', OnItsHandler, []],
  ])('gives the context to an interceptor of the SDK on %s', async (_where, controller, global) => {
    const url = await listening(controller, ...global);
    expect(await get(`${url}/?user=ada`)).toEqual(['ada']);
    expect(await get(`${url}/`)).toEqual(['anonymous']);
  });

  it('keeps the factory that an interceptor has', async () => {
    const url = await listening(Plain, new EvaluationContextInterceptor(() => ({ targetingKey: 'its own' })));
    expect(await get(`${url}/?user=ada`)).toEqual(['its own']);
  });

  it('refuses to start with an interceptor that cannot be corrected', async () => {
    await expect(listening(Plain, closed)).rejects.toThrow(
      'FliptModule: the EvaluationContextInterceptor of @openfeature/nestjs-sdk would give handlers an empty context; ' +
        'use OpenFeatureModule.forRoot({ useGlobalInterceptor: false }) and no interceptor of your own',
    );
  });
});
