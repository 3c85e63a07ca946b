import {
  Body,
  Controller,
  Get,
  Injectable,
  Logger,
  Post,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  type INestApplication,
  type ModuleMetadata,
} from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { OpenFeature, type EvaluationDetails } from '@openfeature/server-sdk';
import { StringFeatureFlag } from '@openfeature/nestjs-sdk';
import { lastValueFrom, type Observable } from 'rxjs';
import { RequireFlag, setRequestContext } from '../../../src/adapters/nest/index.js';

Logger.overrideLogger(false);

/** A request in the form that both adapters give it, with the member that the guard below adds. */
export interface Asking {
  readonly query: { readonly user?: string };
  user?: string;
}

export const adapters = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
] as const;

export const whose = async (flag: string): Promise<string> =>
  OpenFeature.getClient().getStringValue(flag, 'nobody');

/** A guard that finds the user as a real one does: it is asynchronous, and puts the user on the request. */
@Injectable()
export class WhoGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Asking>();
    await new Promise(setImmediate);
    if (request.query.user !== undefined) request.user = request.query.user;
    return true;
  }
}

/** A guard that asks for a flag. */
@Injectable()
export class AskingGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<{ guarded?: string }>();
    request.guarded = await whose('whose-0');
    return true;
  }
}

@Controller()
@UseGuards(WhoGuard, AskingGuard)
export class WhoseController {
  @Get()
  async both(): Promise<string[]> {
    return [await whose('whose-0'), await whose('whose-1')];
  }

  @Post()
  async posted(@Body() body: unknown): Promise<unknown[]> {
    return [await whose('whose-0'), await whose('whose-1'), body];
  }

  @Get('decorated')
  async decorated(
    @StringFeatureFlag({ flagKey: 'whose-2', defaultValue: 'nobody' })
    flag: Observable<EvaluationDetails<string>>,
  ): Promise<string[]> {
    return [await whose('whose-0'), (await lastValueFrom(flag)).value];
  }

  @Get('ten')
  async ten(): Promise<string[]> {
    const answers: string[] = [];
    for (let index = 0; index < 10; index += 1) answers.push(await whose(`whose-${index}`));
    return answers;
  }

  @Get('added')
  async added(): Promise<string[]> {
    const before = await whose('whose-attribute');
    setRequestContext({ user: 'user-5' });
    const after = [await whose('whose-attribute'), await whose('whose-0')];
    setRequestContext({ targetingKey: 'user-6' });
    return [before, ...after, await whose('whose-0')];
  }
}

export class Refused extends ForbiddenException {}

@Controller('guarded')
@UseGuards(WhoGuard)
export class GuardedController {
  @Get('on')
  @RequireFlag('anyone', { default: false })
  on(): string[] {
    return ['in'];
  }

  @Get('off')
  @RequireFlag('no-one', { default: true })
  off(): string[] {
    return ['in'];
  }

  @Get('missing')
  @RequireFlag('missing', { default: true })
  missing(): string[] {
    return ['in'];
  }

  @Get('otherwise')
  @RequireFlag('no-one', { default: true, otherwise: () => new Refused('not yet') })
  otherwise(): string[] {
    return ['in'];
  }

  @Get('premium')
  @RequireFlag('premium', { default: false })
  premium(): string[] {
    return ['in'];
  }
}

@Controller('ordered')
export class OrderedController {
  @Get('above')
  @RequireFlag('premium', { default: false })
  @UseGuards(WhoGuard)
  above(): string[] {
    return ['in'];
  }

  @Get('below')
  @UseGuards(WhoGuard)
  @RequireFlag('premium', { default: false })
  below(): string[] {
    return ['in'];
  }
}

/** Starts an app of these modules. It listens on a port that the system chooses. */
export async function started(
  adapter: ExpressAdapter | FastifyAdapter,
  imports: ModuleMetadata['imports'] = [],
): Promise<{ app: INestApplication; url: string }> {
  const controllers = [WhoseController, GuardedController, OrderedController];
  const module = await Test.createTestingModule({ imports, controllers }).compile();
  module.useLogger(false);
  const app = module.createNestApplication(adapter);
  await app.listen(0, '127.0.0.1');
  return { app, url: await app.getUrl() };
}
