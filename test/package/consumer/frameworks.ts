/* Compiled and run in the consumers that have Express and Nest. */
import 'reflect-metadata';
import { strict as assert } from 'node:assert';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { OpenFeature } from '@openfeature/server-sdk';
import express, { type Request } from 'express';
import { FliptProvider } from 'openfeature-flipt-provider';
import { flags, ofrep } from 'openfeature-flipt-provider/express';
import { startLocalService } from 'openfeature-flipt-provider/local';
import { contextFactory, FliptModule, RequireFlag } from 'openfeature-flipt-provider/nest';
import { ofrep as plainOfrep } from 'openfeature-flipt-provider/ofrep';
import { observeProvider } from 'openfeature-flipt-provider/opentelemetry';

class App {}

async function inExpress(): Promise<void> {
  const app = express();
  app.use(flags({ context: (req) => ({ targetingKey: req.get('x-user') ?? 'nobody' }) }));
  app.use(ofrep({ flags: ['banner'], context: (req) => ({ targetingKey: req.get('x-user') ?? 'nobody' }) }));
  app.get('/', async (req, res) => {
    res.send(await req.flags.getStringValue('banner', 'none'));
  });
  const server = app.listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'blue');
  await isBlue((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init));
  const handler = plainOfrep({ flags: ['banner'], context: () => ({ targetingKey: 'nobody' }) });
  await isBlue((path, init) => handler(new Request(`http://app${path}`, init)));
  server.closeAllConnections();
  server.close();
}

/** Patient, so that a stall of a busy machine causes no default. */
const patient = { deadlineMs: 15_000, http: { timeoutMs: 15_000 } };

async function isBlue(send: (path: string, init: RequestInit) => Promise<Response>): Promise<void> {
  const response = await send('/ofrep/v1/evaluate/flags/banner', { method: 'POST', body: '{}' });
  assert.deepEqual(await response.json(), {
    key: 'banner',
    value: 'blue',
    variant: 'blue',
    reason: 'STATIC',
  });
}

async function inNest(url: string): Promise<void> {
  const flipt = FliptModule.forRoot<Request>({
    provider: new FliptProvider({ url, ...patient }),
    context: (request) => ({ targetingKey: request.get('x-user') ?? 'nobody' }),
  });
  const app = await NestFactory.create({ module: App, imports: [flipt] }, { logger: false });
  await app.init();
  assert.equal(await OpenFeature.getClient().getStringValue('banner', 'none'), 'blue');
  assert.equal(typeof RequireFlag('banner', { default: true }), 'function');
  assert.equal(typeof contextFactory, 'function');
  await app.close();
}

async function main(): Promise<void> {
  const banner = {
    key: 'banner',
    type: 'VARIANT_FLAG_TYPE',
    enabled: true,
    variants: [{ key: 'blue', default: true }],
  } as const;
  const service = await startLocalService({ features: { flags: [banner] } });
  const provider = new FliptProvider({ url: service.url, ...patient });
  const stop = observeProvider(provider, { perFlag: ['banner'] });
  await OpenFeature.setProviderAndWait(provider);
  await inExpress();
  stop();
  await OpenFeature.clearProviders();
  await inNest(service.url);
  await OpenFeature.close();
  await service.close();
  console.log(`well on ${process.version}`);
}

void main();
