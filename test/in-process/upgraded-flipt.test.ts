import { describe, expect, it } from 'vitest';
import type { FliptProvider } from '../../src/index.js';
import { casesOf, featuresOf } from '../engine/recordings.fixture.js';
import { eventually } from '../eventually.fixture.js';
import { flipt, localService, open, recordingLogger, serving } from '../provider/open.fixture.js';
import { answerJson } from '../servers/scripted.fixture.js';
import { recordedJson } from '../snapshot/bodies.fixture.js';
import { recordedService } from './recorded-service.fixture.js';

const OLD = { name: 'alpha', semantics: 'v2.8' } as const;
const CASES = casesOf(OLD).filter(
  ({ request, response }) =>
    request.namespaceKey === 'default' &&
    !('targetingKey' in request.context) &&
    response.type === 'VARIANT_EVALUATION_RESPONSE_TYPE',
);

/** A provider with the outcome of each recorded question: whether a rule matched. */
async function outcomes(provider: FliptProvider) {
  const list = [];
  for (const { request } of CASES) {
    const context = { ...request.context, targetingKey: request.entityId };
    const { flagMetadata } = await provider.resolveStringEvaluation(request.flagKey, '', context);
    list.push(flagMetadata?.serviceReason);
  }
  return list;
}
const recorded = CASES.map(({ response }) => String(response.reason).replace('_EVALUATION_REASON', ''));

describe('an outage of the remote mode', () => {
  it('is answered by the rules of the Flipt that wrote the snapshot', async () => {
    let isDown = false;
    const answer = recordedService(casesOf(OLD));
    const server = await serving(
      (request, response) => {
        if (isDown) answerJson(response, { code: 14 }, 503);
        else void answer(request, response);
      },
      (_, response) => {
        answerJson(response, recordedJson('alpha.v2.8.default.json'));
      },
      (_, response) => {
        answerJson(response, { build: { version: 'v2.8.0', isRelease: true } });
      },
    );
    const { provider } = await open({
      url: server.url,
      cache: false,
      breaker: false,
      http: { retries: 0 },
      logger: recordingLogger(),
    });
    await eventually(() => provider.getStatus().watch?.semantics === 'v2.8');
    isDown = true;
    expect(await outcomes(provider)).toEqual(recorded);
  });
});

describe('a question for the version that fails', () => {
  it.each([401, 404, 500])(
    'with %i counts as no failure, opens no circuit and is not logged',
    async (status) => {
      const logger = recordingLogger();
      let asked = 0;
      const server = await serving(
        recordedService([]),
        (_, response) => {
          answerJson(response, recordedJson('alpha.v2.default.json'));
        },
        (_, response) => {
          asked++;
          answerJson(response, { code: 16 }, status);
        },
      );
      const { provider } = await open({
        url: server.url,
        evaluation: 'in-process',
        breaker: { failures: 1 },
        logger,
      });
      let renewals = 0;
      provider.onEvent(() => renewals++, ['credentials-refreshed']);
      await eventually(() => asked > 0 && provider.getStatus().requests.inFlight === 0);
      const { condition, circuit, fliptVersion, requests, watch } = provider.getStatus();
      expect({ condition, state: circuit?.state, fliptVersion, semantics: watch?.semantics }).toEqual({
        condition: 'ready',
        state: 'closed',
        fliptVersion: null,
        semantics: 'v2',
      });
      expect([requests.failed, requests.retried, renewals]).toEqual([{}, 0, 0]);
      expect([logger.warn, logger.error].flatMap(({ mock }) => mock.calls)).toEqual([]);
    },
  );
});

it('offline, a snapshot of an older Flipt is read by the rules that it names', async () => {
  const { url } = await localService({ features: featuresOf(OLD), semantics: 'v2.8' });
  const { provider: online } = await open({ url, evaluation: 'in-process' });
  await eventually(() => online.getStatus().watch?.semantics === 'v2.8');
  const initial = await online.getSnapshot();
  const offline = flipt({ evaluation: 'in-process', watch: false, snapshot: { initial } });
  await offline.initialize();
  expect(await outcomes(offline)).toEqual(recorded);
  expect(offline.getStatus()).toMatchObject({ fliptVersion: null, watch: { semantics: 'v2.8' } });
  await offline.onClose();
});
