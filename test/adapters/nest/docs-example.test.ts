import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import * as common from '@nestjs/common';
import {
  Controller,
  Get,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import * as openfeatureNest from '@openfeature/nestjs-sdk';
import { OpenFeature } from '@openfeature/server-sdk';
import type TypeScript from 'typescript';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as front from '../../../src/index.js';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import * as nest from '../../../src/adapters/nest/index.js';
import { adapters } from './app.fixture.js';

// An import would first search its nine megabytes for the names that it exports.
const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript;

const ENTRIES: Readonly<Record<string, object>> = {
  '@nestjs/common': common,
  '@openfeature/nestjs-sdk': openfeatureNest,
  'openfeature-flipt-provider': front,
  'openfeature-flipt-provider/nest': nest,
};

/** The module that docs/frameworks.md shows, as it stands there but for the address. */
function documentedModule(url: string): Type {
  const page = readFileSync(new URL('../../../docs/frameworks.md', import.meta.url), 'utf8');
  const sample = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].find(([, code]) => code?.includes('@Module('));
  const { outputText } = ts.transpileModule((sample?.[1] ?? '').replace('http://localhost:8080', url), {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
    },
  });
  const exported: { AppModule?: Type } = {};
  const run: unknown = compileFunction(outputText, ['exports', 'require']);
  if (typeof run === 'function') Reflect.apply(run, undefined, [exported, (name: string) => ENTRIES[name]]);
  if (exported.AppModule === undefined) throw new Error('docs/frameworks.md has no AppModule');
  return exported.AppModule;
}

interface Visitor {
  readonly query: { readonly user?: string };
  user?: { id: string };
}

const checkout = async () => OpenFeature.getClient().getBooleanValue('new-checkout', false);

/** Resolves a flag for the anonymous user, then logs in. */
@Injectable()
class LoginGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Visitor>();
    await checkout();
    if (request.query.user !== undefined) request.user = { id: request.query.user };
    return true;
  }
}

@Controller('checkout')
@UseGuards(LoginGuard)
class CheckoutController {
  @Get()
  async page(): Promise<boolean[]> {
    return [await checkout(), await checkout()];
  }

  @Get('guarded')
  @nest.RequireFlag('new-checkout', { default: false })
  guarded(): string[] {
    return ['in'];
  }
}

let service: LocalService;
let app: INestApplication;

beforeEach(async () => {
  service = await startLocalService({
    features: {
      flags: [
        {
          key: 'new-checkout',
          type: 'BOOLEAN_FLAG_TYPE',
          enabled: false,
          rollouts: [{ segment: { key: 'ada', value: true } }],
        },
      ],
      segments: [
        {
          key: 'ada',
          constraints: [
            { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'eq', value: 'ada' },
          ],
        },
      ],
    },
  });
});

afterEach(async () => {
  await app.close();
  await OpenFeature.clearProviders();
  await service.close();
});

describe.each(adapters)('on %s', (_name, adapter) => {
  it("the docs' own example knows the user that a guard has put on the request", async () => {
    const module = await Test.createTestingModule({
      imports: [documentedModule(service.url)],
      controllers: [CheckoutController],
    }).compile();
    module.useLogger(false);
    app = module.createNestApplication(adapter());
    await app.listen(0, '127.0.0.1');
    const ask = async (path: string): Promise<unknown> => {
      const response = await fetch(`${await app.getUrl()}/checkout${path}`);
      return response.ok ? response.json() : response.status;
    };
    expect(await ask('?user=ada')).toEqual([true, true]);
    expect(await ask('?user=grace')).toEqual([false, false]);
    expect(await ask('/guarded?user=ada')).toEqual(['in']);
    expect([await ask('/guarded?user=grace'), await ask('/guarded')]).toEqual([404, 404]);
  });
});
