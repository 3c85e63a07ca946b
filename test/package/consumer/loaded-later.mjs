/* Run in a consumer: prints what a provider loads after its import, from the start to the close. */
import { createServer } from 'node:http';
import { register } from 'node:module';
import { OpenFeature } from '@openfeature/server-sdk';
import { FliptProvider } from 'openfeature-flipt-provider';
import { startLocalService } from 'openfeature-flipt-provider/local';

const hooks = `
  import { writeSync } from 'node:fs';
  export async function resolve(specifier, context, next) {
    writeSync(1, specifier + '\\n');
    return next(specifier, context);
  }`;

const features = { flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] };
const service = await startLocalService({ features });
/** Fails every batch with the flag `bad`. */
const spoiling = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  if (body.includes('"bad"')) return response.writeHead(500).end();
  const answer = await fetch(service.url + request.url, { method: request.method, body: body || undefined });
  response.writeHead(answer.status).end(await answer.text());
}).listen(0, '127.0.0.1');
await new Promise((listening) => spoiling.once('listening', listening));
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
const logger = { error() {}, warn() {}, info() {}, debug() {} };
const times = { http: { timeoutMs: 60_000 }, deadlineMs: 60_000, initTimeoutMs: 60_000 };
const provider = new FliptProvider({ url: service.url, cache: false, logger, ...times });
await OpenFeature.setProviderAndWait(provider);
const url = `http://127.0.0.1:${spoiling.address().port}`;
const spoilt = new FliptProvider({ url, cache: false, watch: false, logger, ...times });
await spoilt.initialize();
while (provider.getSnapshot() === undefined) await new Promise(setImmediate);
const client = OpenFeature.getClient();
console.log('value', await client.getBooleanValue('on', false));
const both = await Promise.all(['bad', 'on'].map((flag) => spoilt.resolveBooleanEvaluation(flag, false, {})));
console.log('beside a bad flag', both[1].value);
console.log('all', (await provider.evaluateAll({}, ['on'])).on.value);
await provider.explain('on');
await spoilt.onClose();
spoiling.closeAllConnections();
spoiling.close();
await service.close();
console.log('reason', (await client.getBooleanDetails('on', false)).reason);
await OpenFeature.close();
