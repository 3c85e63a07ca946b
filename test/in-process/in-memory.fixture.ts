import { OpenFeatureEventEmitter } from '@openfeature/server-sdk';
import type { FliptProviderOptions, HttpDispatcherRequest } from '../../src/index.js';
import { providerSettings } from '../../src/options/settings.js';
import { Lifecycle } from '../../src/provider/lifecycle.js';
import { manualClock } from '../clock.fixture.js';
import { INFO_PATH, itemsOf } from '../servers/scripted.fixture.js';
import { recordingLogger } from '../provider/open.fixture.js';

type Answer = object | number;
/** Answers a request with JSON or with a status. */
type Answering = (request: HttpDispatcherRequest) => Answer | Promise<Answer>;

export const POLL_MS = 15_000;
export const isPoll = ({ method }: HttpDispatcherRequest) => method === 'GET';

/** Makes Flipt's snapshot with a boolean flag. */
export const snapshot = (enabled: boolean) => ({
  namespace: { key: 'default' },
  flags: [{ key: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled, rules: [], rollouts: [] }],
});
/** Makes the answer to a batch, in which all flags have this value. */
const evaluation = (enabled: boolean, { body }: HttpDispatcherRequest) => ({
  requestId: '',
  responses: itemsOf({ body: body ?? '' }).map(({ flagKey }) => ({
    type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
    booleanResponse: { enabled, reason: 'DEFAULT_EVALUATION_REASON', flagKey, segmentKeys: [] },
  })),
});

/** Answers polls and questions so that the flag has this value. */
export const well =
  (enabled: boolean): Answering =>
  (request) =>
    isPoll(request) ? snapshot(enabled) : evaluation(enabled, request);

/** Makes a provider on a clock that the test moves, with a service in memory. */
export function inMemory(options: FliptProviderOptions, answering: Answering) {
  const clock = manualClock();
  const service = { answering, requests: [] as HttpDispatcherRequest[] };
  const dispatcher = {
    async request(request: HttpDispatcherRequest) {
      const isAside = request.path.endsWith(INFO_PATH);
      if (!isAside) service.requests.push(request);
      const answer = isAside ? 404 : await service.answering(request);
      const statusCode = typeof answer === 'number' ? answer : 200;
      const chunks = typeof answer === 'number' ? [] : [Buffer.from(JSON.stringify(answer))];
      const body = (async function* () {
        await Promise.resolve();
        yield* chunks;
      })();
      return { statusCode, headers: { 'content-type': 'application/json' }, body };
    },
  };
  const events = new OpenFeatureEventEmitter();
  const logger = recordingLogger();
  const settings = providerSettings(
    { logger, watch: { pollMs: POLL_MS }, ...options, http: { dispatcher, retries: 0 } },
    {},
  );
  const life = new Lifecycle(settings, events, { clock, random: () => 0 });
  const running = () => {
    const now = life.current();
    if (now === undefined) throw new Error('it is closed');
    return now;
  };

  return {
    clock,
    service,
    events,
    logger,
    life,
    refresh: () => running().refresh(),
    resolve: async (user = '') => running().evaluate('on', { targetingKey: user }),
    polls: () => service.requests.filter(isPoll).length,
    questions: () => service.requests.filter((request) => !isPoll(request)).length,
    /** Waits for something while the clock stands still: loading code takes turns of the event loop. */
    ended: async <T>(coming: Promise<T>): Promise<T> => {
      const state = { hasEnded: false };
      const end = () => {
        state.hasEnded = true;
      };
      coming.then(end, end);
      while (!state.hasEnded) {
        await clock.settle();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return coming;
    },
  };
}
