/* Run in a consumer: ES modules and CommonJS of the package in one process, each for a part of the work. */
import { strict as assert } from 'node:assert';
import { createRequire } from 'node:module';
import { OpenFeature } from '@openfeature/server-sdk';
import * as modules from 'openfeature-flipt-provider';
import * as expressModules from 'openfeature-flipt-provider/express';
import * as metricsModules from 'openfeature-flipt-provider/opentelemetry';
import { recordedBy } from './recording-meter.mjs';

const require = createRequire(import.meta.url);
const common = require('openfeature-flipt-provider');
const { startLocalService } = require('openfeature-flipt-provider/local');
const { FliptClient } = require('openfeature-flipt-provider/client');
const expressCommon = require('openfeature-flipt-provider/express');
const metricsCommon = require('openfeature-flipt-provider/opentelemetry');
const express = require('express');

assert.notEqual(modules.FliptProvider, common.FliptProvider, 'they are two copies');
for (const [{ isFliptProvider }, { FliptProvider }] of [
  [modules, common],
  [common, modules],
]) {
  const provider = new FliptProvider();
  assert.ok(isFliptProvider(provider));
  await provider.onClose();
}

const service = await startLocalService({
  features: { flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
});

/** For a busy machine: a stall is to make no default. */
const patient = { deadlineMs: 15_000, http: { timeoutMs: 15_000 } };

/** A flag that changes in the middle of a request: the view of one copy holds for the provider of the other. */
async function asked({ FliptProvider }, { openRequestView, REQUEST_VIEW }) {
  await service.setFlag('default', 'on', { enabled: true });
  await OpenFeature.setProviderAndWait(new FliptProvider({ url: service.url, cache: false, ...patient }));
  const client = OpenFeature.getClient();
  const view = { [REQUEST_VIEW]: openRequestView() };
  const before = await client.getBooleanValue('on', false, view);
  await service.setFlag('default', 'on', { enabled: false });
  assert.deepEqual([before, await client.getBooleanValue('on', true, view)], [true, true]);
  assert.equal(await client.getBooleanValue('on', true), false);
}

async function served({ flags }, { FliptProvider }) {
  await service.setFlag('default', 'on', { enabled: true });
  const provider = new FliptProvider({ url: service.url, ...patient });
  await OpenFeature.setProviderAndWait(provider);
  const app = express();
  app.use(flags({ context: () => ({ targetingKey: 'user-1' }), prefetch: ['on'] }));
  app.get('/', async (req, res) => res.json(await req.flags.getBooleanValue('on', false)));
  const server = app.listen(0);
  await new Promise((resolve) => server.once('listening', resolve));
  assert.equal(await (await fetch(`http://127.0.0.1:${server.address().port}/`)).json(), true);
  server.closeAllConnections();
  server.close();
}

/** A provider of one copy, observed by the other. */
async function observed({ observeProvider }, { FliptProvider }) {
  const provider = new FliptProvider({ url: service.url, ...patient });
  const counted = await recordedBy(observeProvider, provider);
  assert.ok(counted.length > 0);
  await provider.onClose();
}

await observed(metricsModules, common);
await observed(metricsCommon, modules);
await asked(modules, common);
await asked(common, modules);
await served(expressModules, common);
await served(expressCommon, modules);

const client = new FliptClient({ url: service.url, http: patient.http });
await assert.rejects(client.segments.get('default', 'none'), { name: 'FliptServiceError' });
await client.close();
await OpenFeature.close();
await service.close();
console.log(`well on ${process.version}`);
