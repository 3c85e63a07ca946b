import 'reflect-metadata';
import { Controller, Get, Logger, Module, UseGuards, type INestApplication } from '@nestjs/common';
import { OpenFeature } from '@openfeature/server-sdk';
import { Test } from '@nestjs/testing';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import { FliptModule, RequireFlag } from '../../../src/adapters/nest/index.js';
import { adapters, WhoGuard, type Asking } from './app.fixture.js';
import { flipt } from '../../provider/open.fixture.js';

const off = { default: false } as const;

@Controller()
class Routes {
  @Get('wrong-and-off')
  @UseGuards(WhoGuard)
  @RequireFlag('off', off)
  wrongAndOff() {
    return 'in';
  }

  @Get('wrong-and-on')
  @UseGuards(WhoGuard)
  @RequireFlag('off', off)
  @RequireFlag('on', off)
  wrongAndOn() {
    return 'in';
  }

  @Get('wrong-and-only-on')
  @UseGuards(WhoGuard)
  @RequireFlag('on', off)
  wrongAndOnlyOn() {
    return 'in';
  }

  @Get('right')
  @RequireFlag('off', off)
  @UseGuards(WhoGuard)
  right() {
    return 'in';
  }

  @Get('alone')
  @RequireFlag('off', off)
  alone() {
    return 'in';
  }
}

@Controller('below-the-controller')
@UseGuards(WhoGuard)
class BelowController {
  @Get()
  @RequireFlag('off', off)
  below() {
    return 'in';
  }
}

let service: LocalService;
let app: INestApplication;
let url: string;
const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);

beforeAll(async () => {
  const flag = (key: string) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled: key === 'on' }) as const;
  service = await startLocalService({ features: { flags: [flag('on'), flag('off')] } });
  const context = ({ user }: Asking) => ({ ...(user !== undefined && { targetingKey: user }) });
  const provider = flipt({ url: service.url, watch: false });
  const imports = [FliptModule.forRoot<Asking>({ provider, context })];
  const module = await Test.createTestingModule({
    imports,
    controllers: [Routes, BelowController],
  }).compile();
  module.useLogger(false);
  app = module.createNestApplication(adapters[0][1]());
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(async () => {
  await app.close();
  await OpenFeature.clearProviders();
  await service.close();
});
afterEach(() => {
  warn.mockClear();
});

const WARNING =
  'found no targetingKey before other guards of the route had run: if one of them logs the user in, put ' +
  '@RequireFlag above it (guards run from the bottom decorator up)';

it.each([
  ['wrong-and-off', 404, [`@RequireFlag('off') of Routes.wrongAndOff ${WARNING}`]],
  ['wrong-and-on', 404, [`@RequireFlag('off') of Routes.wrongAndOn ${WARNING}`]],
  ['wrong-and-only-on', 200, [`@RequireFlag('on') of Routes.wrongAndOnlyOn ${WARNING}`]],
  ['right', 404, []],
  ['alone', 404, []],
  ['below-the-controller', 404, []],
])('warns once for a route that asks before the guard that logs in: %s', async (path, status, warnings) => {
  for (let request = 0; request < 3; request++) {
    expect((await fetch(`${url}/${path}?user=ada`)).status).toBe(status);
  }
  expect(warn.mock.calls.map(([message]) => String(message))).toEqual(warnings);
});

it('does not warn of visitors who stay anonymous, where the flag is on', async () => {
  @Controller()
  class Visits {
    @Get()
    @UseGuards(WhoGuard)
    @RequireFlag('on', off)
    visit() {
      return 'in';
    }
  }
  const imports = [FliptModule.forRoot({ provider: flipt({ url: service.url }) })];
  const module = await Test.createTestingModule({ imports, controllers: [Visits] }).compile();
  const visited = module.createNestApplication(adapters[0][1]());
  await visited.listen(0, '127.0.0.1');
  expect((await fetch(await visited.getUrl())).status).toBe(200);
  expect(warn).not.toHaveBeenCalled();
  await visited.close();
});

it('cannot notice the wrong order if the context falls back to a targetingKey', async () => {
  const context = ({ user }: Asking) => ({ targetingKey: user ?? 'anonymous' });
  const provider = flipt({ url: service.url, watch: false });
  const imports = [FliptModule.forRoot<Asking>({ provider, context })];
  const module = await Test.createTestingModule({ imports, controllers: [Routes] }).compile();
  const hiding = module.createNestApplication(adapters[0][1]());
  await hiding.listen(0, '127.0.0.1');
  expect((await fetch(`${await hiding.getUrl()}/wrong-and-only-on?user=ada`)).status).toBe(200);
  expect(warn).not.toHaveBeenCalled();
  await hiding.close();
});

it('says what to import instead of the class alone', async () => {
  @Module({ imports: [FliptModule] })
  class AppModule {}
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  const bare = module.createNestApplication(adapters[0][1]());
  await expect(bare.listen(0, '127.0.0.1')).rejects.toThrow(
    'FliptModule: expected FliptModule.forRoot({ … }) or FliptModule.forRootAsync({ … }) in imports, once in the ' +
      'root module (it is global), got the class alone',
  );
  await bare.close().catch(() => undefined);
});
