import 'reflect-metadata';
import { Controller, Get, Injectable, UseGuards } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { OpenFeature, type EvaluationContext, type Provider } from '@openfeature/server-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import {
  contextFactory,
  FliptModule,
  setRequestContext,
  type FliptModuleOptions,
} from '../../../src/adapters/nest/index.js';
import { FliptProvider, runInTransactionContext } from '../../../src/index.js';
import { get } from '../../traffic/listening.fixture.js';
import { adapters, WhoGuard, type Asking } from './app.fixture.js';

const tracked: EvaluationContext[] = [];
/** Its flags have the context as their value. */
const provider: Provider = {
  metadata: { name: 'echo' },
  resolveBooleanEvaluation: async (_flag, value) => ({ value }),
  resolveStringEvaluation: async (_flag, value) => ({ value }),
  resolveNumberEvaluation: async (_flag, value) => ({ value }),
  resolveObjectEvaluation: async (_flag, _value, context) => ({ value: { ...context } as never }),
  track: (_name, context) => void tracked.push(context),
};

@Injectable()
class Baskets {
  whose = (context?: EvaluationContext) =>
    OpenFeature.getClient('shop', '1', { client: 'client' }).getObjectValue('flag', {}, context);
}

@Controller()
@UseGuards(WhoGuard)
class Pages {
  constructor(private readonly baskets: Baskets) {}

  @Get()
  page() {
    return this.baskets.whose({ call: 'call' });
  }

  @Get('job')
  job() {
    return runInTransactionContext({ targetingKey: 'job' }, () => this.baskets.whose());
  }

  @Get('later')
  later() {
    return runInTransactionContext(contextFactory(), () => {
      setRequestContext({ plan: 'pro' });
      return this.baskets.whose();
    });
  }

  @Get('bought')
  bought() {
    OpenFeature.getClient('shop').track('purchase', contextFactory());
    return {};
  }

  @Get('forgotten')
  forgotten() {
    OpenFeature.getClient('shop').track('purchase');
    return {};
  }
}
Reflect.defineMetadata('design:paramtypes', [Baskets], Pages);

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
  tracked.length = 0;
  OpenFeature.setContext({});
  OpenFeature.clearHooks();
  await OpenFeature.clearProviders();
});

describe.each(adapters)('on %s', (_name, adapter) => {
  async function started(
    context: FliptModuleOptions<Asking>['context'] = ({ user }) => ({ targetingKey: user ?? '' }),
    registered: Provider = provider,
  ) {
    const module = await Test.createTestingModule({
      imports: [FliptModule.forRoot<Asking>({ provider: registered, domain: 'shop', context })],
      controllers: [Pages],
      providers: [Baskets],
    }).compile();
    const app = module.createNestApplication(adapter());
    await app.listen(0, '127.0.0.1');
    closing.push(() => app.close());
    return app.getUrl();
  }

  it('a client and a call win over the request, and the request over the API', async () => {
    OpenFeature.setContext({ api: 'api', request: 'api', client: 'api', call: 'api' });
    const url = await started(() => ({ request: 'request', client: 'request', call: 'request' }));
    expect(await get(url)).toEqual({ api: 'api', request: 'request', client: 'client', call: 'call' });
  });

  it('work in a request may be for somebody else', async () => {
    const url = await started();
    expect(await get(`${url}/job?user=ada`)).toEqual({ targetingKey: 'job', client: 'client' });
    expect(await get(`${url}/later?user=ada`)).toEqual({
      targetingKey: 'ada',
      plan: 'pro',
      client: 'client',
    });
  });

  it('two apps of a process keep their users apart, also when hooks were cleared', async () => {
    const shop = await started(({ user }) => ({ targetingKey: user ?? '', app: 'shop' }));
    const office = await started(({ user }) => ({ targetingKey: user ?? '', app: 'office' }));
    OpenFeature.clearHooks();
    const users = Array.from({ length: 50 }, (_, at) => `user-${at}`);
    await Promise.all(
      users.flatMap((targetingKey) => [
        expect(get(`${shop}/?user=${targetingKey}`)).resolves.toMatchObject({ targetingKey, app: 'shop' }),
        expect(get(`${office}/?user=${targetingKey}`)).resolves.toMatchObject({
          targetingKey,
          app: 'office',
        }),
      ]),
    );
    expect(await OpenFeature.getClient('shop').getObjectValue('flag', {})).toEqual({});
  });

  it('the log warns of a track without contextFactory', async () => {
    const warned: unknown[] = [];
    const flipt = new FliptProvider({
      watch: false,
      evaluation: 'in-process',
      snapshot: { initial: { flags: [] } },
      tracking: { send: () => undefined },
      logger: {
        error: () => {},
        warn: (...words) => warned.push(words.join(' ')),
        info: () => {},
        debug: () => {},
      },
    });
    const url = await started(undefined, flipt);
    await get(`${url}/bought?user=ada`);
    expect(warned).toEqual([]);
    await get(`${url}/forgotten?user=ada`);
    expect(warned).toMatchObject([expect.stringContaining('in Nest contextFactory()')]);
  });

  it('contextFactory gives the user to what runs no hooks', async () => {
    await get(`${await started()}/bought?user=ada`);
    expect(tracked).toMatchObject([{ targetingKey: 'ada' }]);
    expect(contextFactory()).toEqual({});
  });
});
