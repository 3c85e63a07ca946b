import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import {
  Controller,
  Get,
  Injectable,
  Module,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  Req,
  type INestApplication,
} from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { OpenFeature } from '@openfeature/server-sdk';
import session from 'express-session';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import { FliptModule, RequireFlag, setRequestContext } from '../../../src/adapters/nest/index.js';
import { whoseFeatures } from '../../traffic/whose.fixture.js';
import { adapters, whose } from './app.fixture.js';
import { questionsTo } from '../../servers/questions-to.fixture.js';
import { flipt } from '../../provider/open.fixture.js';

interface Visitor {
  readonly query: { readonly user?: string };
  readonly session?: { user?: string };
  user?: string;
}

const visitorOf = (context: ExecutionContext) => context.switchToHttp().getRequest<Visitor>();

/** Resolves a flag for the anonymous user, then logs in. */
@Injectable()
class LoginGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const visitor = visitorOf(context);
    await whose('whose-0');
    if (visitor.query.user !== undefined) visitor.user = visitor.query.user;
    return true;
  }
}

/** Logs in by changing the session, not the request. One handler logs in by itself. */
@Injectable()
class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query, session } = visitorOf(context);
    const byItself = context.getHandler().name === 'login';
    if (!byItself && session !== undefined && query.user !== undefined) session.user = query.user;
    return true;
  }
}

@Controller()
@UseGuards(LoginGuard)
class PagesController {
  @Get('page')
  async page(): Promise<string[]> {
    return [await whose('whose-0'), await whose('whose-1'), await whose('whose-0')];
  }

  @Get('premium')
  @RequireFlag('premium', { default: false })
  premium(): string[] {
    return ['in'];
  }
}

@Controller('session')
@UseGuards(SessionGuard)
class SessionController {
  @Get('page')
  async page(): Promise<string[]> {
    return [await whose('whose-0')];
  }

  @Get('login')
  async login(@Req() { query, session }: Visitor): Promise<string[]> {
    const before = await whose('whose-0');
    if (session !== undefined && query.user !== undefined) session.user = query.user;
    setRequestContext({ targetingKey: query.user ?? 'anonymous' });
    return [before, await whose('whose-0')];
  }

  @Get('premium')
  @RequireFlag('premium', { default: false })
  premium(): string[] {
    return ['in'];
  }
}

let service: LocalService;
let app: INestApplication;

beforeEach(async () => {
  const features = whoseFeatures(['user-7', 'user-8'], 2);
  const premium = {
    key: 'premium',
    type: 'BOOLEAN_FLAG_TYPE',
    enabled: false,
    rollouts: [{ segment: { key: 'id-user-7', value: true } }],
  } as const;
  service = await startLocalService({
    features: { ...features, flags: [...(features.flags ?? []), premium] },
  });
});

afterEach(async () => {
  await app.close();
  await OpenFeature.clearProviders();
  await service.close();
});

describe.each(adapters)('on %s, when a middleware resolves a flag before the login', (name, adapter) => {
  const context = ({ user, session }: Visitor) => ({
    targetingKey: user ?? session?.user ?? 'anonymous',
  });
  const prefetch = ['whose-0', 'whose-1'];

  const serve = async (): Promise<string> => {
    @Module({
      imports: [
        FliptModule.forRoot<Visitor>({
          // The watch is off, because its polls would be counted with the requests of a page.
          provider: flipt({ url: service.url, watch: false }),
          context,
          prefetch,
        }),
      ],
      controllers: [PagesController, SessionController],
    })
    class AppModule {}
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    module.useLogger(false);
    app = module.createNestApplication(adapter());
    if (name === 'Express') {
      app.use(session({ secret: 'dummy', resave: false, saveUninitialized: false }));
      app.use((_request: unknown, _response: unknown, next: (error?: unknown) => void) => {
        whose('whose-0').then(() => {
          next();
        }, next);
      });
    } else {
      const fastify = (app as NestFastifyApplication).getHttpAdapter().getInstance();
      keepSessions(fastify);
      fastify.addHook('preHandler', async () => {
        await whose('whose-0');
      });
    }
    await app.listen(0, '127.0.0.1');
    return app.getUrl();
  };

  it('evaluates for the user in handlers and @RequireFlag', async () => {
    const url = await serve();
    const get = async (path: string) => (await fetch(`${url}/${path}`)).status;
    expect(await (await fetch(`${url}/page?user=user-7`)).json()).toEqual(['user-7', 'user-7', 'user-7']);
    expect(await (await fetch(`${url}/page`)).json()).toEqual(['nobody', 'nobody', 'nobody']);
    expect([
      await get('premium?user=user-7'),
      await get('premium?user=user-8'),
      await get('premium'),
    ]).toEqual([200, 404, 404]);
  });

  it('prefetches once for each user', async () => {
    const url = await serve();
    await fetch(`${url}/page?user=user-7`);
    const questions = questionsTo(service);
    await fetch(`${url}/page?user=user-8`);
    // The flags of the anonymous user are cached.
    expect(questions()).toBe(1);
  });

  it('evaluates for the user of a session', async () => {
    const url = await serve();
    const status = async (path: string, cookie = '') =>
      fetch(`${url}/session/${path}`, { headers: { cookie } });
    const login = await status('page?user=user-7');
    expect(await login.json()).toEqual(['user-7']);
    const cookie = login.headers.get('set-cookie')?.split(';', 1)[0];
    expect((await status('premium', cookie)).status).toBe(200);
    expect((await status('premium?user=user-8', cookie)).status).toBe(404);
    expect((await status('premium')).status).toBe(404);
  });

  it('evaluates for the user who logs in while the handler runs', async () => {
    const url = await serve();
    const login = await fetch(`${url}/session/login?user=user-7`);
    expect(await login.json()).toEqual(['nobody', 'user-7']);
    const cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    expect((await fetch(`${url}/session/premium`, { headers: { cookie } })).status).toBe(200);
  });
});

/** Sessions as a plugin of Fastify keeps them: in memory, found by a cookie. */
function keepSessions(
  fastify: ReturnType<ReturnType<NestFastifyApplication['getHttpAdapter']>['getInstance']>,
): void {
  const sessions = new Map<string, object>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const id = /^sid=(.+)$/.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID();
    const known = sessions.get(id) ?? {};
    sessions.set(id, known);
    Object.assign(request, { session: known });
    reply.header('set-cookie', `sid=${id}; HttpOnly`);
    done();
  });
}
