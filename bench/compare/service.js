/**
 * Runs the embedded service behind the paths of Flipt that other clients use: single evaluations and OFREP. It answers
 * as Flipt does. The parent can ask for the number of requests, switch a flag, and stop the service.
 */
import { createServer, request } from 'node:http';
import { readFile } from 'node:fs/promises';
import { startLocalService } from 'openfeature-flipt-provider/local';

const { FEATURES, SEMANTICS = 'v1' } = process.env;
const features = JSON.parse(process.env.DOCUMENTS ?? 'null') ?? (await readFile(FEATURES, 'utf8'));
const service = await startLocalService({ features, semantics: SEMANTICS });
let requests = 0;

async function evaluated(question) {
  const response = await fetch(`${service.url}/evaluate/v1/batch`, {
    method: 'POST',
    body: JSON.stringify({ requests: [question] }),
  });
  const [item] = (await response.json()).responses;
  return item.variantResponse ?? item.booleanResponse;
}

const OFREP_REASONS = {
  MATCH_EVALUATION_REASON: 'TARGETING_MATCH',
  FLAG_DISABLED_EVALUATION_REASON: 'DISABLED',
  DEFAULT_EVALUATION_REASON: 'DEFAULT',
};
async function ofrep(key, { context }) {
  const { targetingKey = '', ...attributes } = context;
  const answer = await evaluated({ flagKey: key, entityId: targetingKey, context: attributes });
  if (answer === undefined) return [404, { key, errorCode: 'FLAG_NOT_FOUND' }];
  const { enabled, variantKey, reason } = answer;
  const result =
    enabled === undefined
      ? { value: variantKey, variant: variantKey }
      : { value: enabled, variant: String(enabled) };
  return [200, { key, ...result, reason: OFREP_REASONS[reason] ?? 'UNKNOWN', metadata: {} }];
}

async function single(question) {
  const answer = await evaluated(question);
  return answer === undefined ? [404, { code: 5, message: 'not found', details: [] }] : [200, answer];
}

const server = createServer(async (incoming, outgoing) => {
  requests += 1;
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { pathname } = new URL(incoming.url, service.url);
  const [, flagKey] = /^\/ofrep\/v1\/evaluate\/flags\/(.+)$/.exec(pathname) ?? [];
  const isSingle = /^\/evaluate\/v1\/(boolean|variant)$/.test(pathname);
  if (flagKey === undefined && !isSingle) {
    pass(incoming, body, outgoing);
    return;
  }
  const question = JSON.parse(body.toString());
  const [status, answer] = await (isSingle ? single(question) : ofrep(decodeURIComponent(flagKey), question));
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});

function pass({ method, url, headers }, body, outgoing) {
  const onward = request(service.url + url, { method, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode, reply.headers);
    reply.pipe(outgoing);
  });
  onward.once('error', () => outgoing.destroy());
  onward.end(body);
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.send({ url: `http://127.0.0.1:${server.address().port}` });
});
process.on('message', async ({ set, answersTo }) => {
  if (set) service.set(...set);
  const answers = answersTo && (await Promise.all(answersTo.map(evaluated)));
  process.send({ requests, answers });
});
