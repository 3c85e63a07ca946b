/* Compiled and run in the consumers, as an ES module and as CommonJS, without any framework. */
import { strict as assert } from 'node:assert';
import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider, type FliptProviderOptions } from 'openfeature-flipt-provider';
import { FliptClient, FliptServiceError, type Segment } from 'openfeature-flipt-provider/client';
import { redisStore, type NodeRedisClient } from 'openfeature-flipt-provider/redis';
import { startLocalService, type LocalServiceOptions } from 'openfeature-flipt-provider/local';

const served: LocalServiceOptions = {
  features: { flags: [{ key: 'new-checkout', name: 'New', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
};

/** The part of a client that the store needs: its entry imports no client. */
const redis: NodeRedisClient = {
  get: () => Promise.resolve('kept'),
  set: () => Promise.resolve('OK'),
  isOpen: true,
};

/** Patient, so that a stall of a busy machine causes no default. */
const patient = { deadlineMs: 15_000, http: { timeoutMs: 15_000 } };

async function main(): Promise<void> {
  const place = { url: 'http://flipt', namespace: 'default', environment: undefined };
  assert.equal(await redisStore(redis).load(place), 'kept');

  const service = await startLocalService(served);

  const options: FliptProviderOptions = { url: service.url, cache: { freshForMs: 1000 }, ...patient };
  const provider = new FliptProvider(options);
  await OpenFeature.setProviderAndWait(provider);
  const context = { targetingKey: 'user-1', plan: 'pro' };
  const details = await OpenFeature.getClient().getBooleanDetails('new-checkout', false, context);
  assert.equal(details.value, true);
  assert.equal(details.flagMetadata['flagSetId'], 'default');
  await OpenFeature.close();

  const client = new FliptClient({ url: service.url, http: patient.http });
  const created: Segment = await client.segments.create('default', { key: 'beta', name: 'Beta users' });
  assert.equal(created.key, 'beta');
  const again = client.segments.create('default', { key: 'beta', name: 'Beta users' });
  await assert.rejects(again, (error) => error instanceof FliptServiceError && error.status === 400);
  await client.close();

  // @ts-expect-error: an option that does not exist
  assert.throws(() => new FliptProvider({ adress: 'http://localhost' }), TypeError);

  await service.close();
  console.log(`well on ${process.version}`);
}

void main();
