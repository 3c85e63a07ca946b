import { vi } from 'vitest';
import type {
  FliptProviderOptions,
  HttpDispatcherRequest,
  HttpDispatcherResponse,
  WatchOptions,
} from '../../../src/index.js';
import type { Resolution } from '../../../src/model/answer.js';
import { providerSettings } from '../../../src/options/settings.js';
import { manualClock } from '../../clock.fixture.js';
import { INFO_PATH, item, type Item } from '../../servers/scripted.fixture.js';
import { pipelineOf } from '../pipeline.fixture.js';

const BATCH = '/evaluate/v1/batch';

/** Makes a service of boolean flags, in memory and on the injected clock, with a provider in front of it. */
export async function simulated(
  keys: readonly string[],
  watch: WatchOptions | false,
  cache: object = {},
  auth?: FliptProviderOptions['auth'],
) {
  const clock = manualClock();
  const flags = new Map(keys.map((key) => [key, true]));
  const it = {
    evaluations: 0,
    questions: 0,
    snapshots: 0,
    bodies: 0,
    isDown: false,
    /** The ETag of each snapshot. Default: one that follows from its content. */
    tag: undefined as string | undefined,
  };
  /** Requests to these paths are rejected, after `answer` is settled, unless they send this authorization. */
  const gate = {
    accepts: undefined as string | undefined,
    refused: [] as string[],
    answer: Promise.resolve(),
  };

  const snapshot = (given: string | undefined): HttpDispatcherResponse => {
    it.snapshots++;
    const etag = it.tag ?? JSON.stringify([...flags]);
    if (given === etag) return response(304, '');
    it.bodies++;
    const list = [...flags].map(([key, enabled]) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled }));
    return response(200, JSON.stringify({ namespace: { key: 'default' }, flags: list }), etag);
  };
  const evaluate = ({ flagKey }: Item) => {
    if (flagKey !== '') it.questions++;
    const enabled = flags.get(flagKey);
    return enabled === undefined ? item.missing(flagKey) : item.boolean(flagKey, enabled);
  };
  const request = ({ path, body, headers }: HttpDispatcherRequest): Promise<HttpDispatcherResponse> => {
    if (path === BATCH) it.evaluations++;
    if (it.isDown) return Promise.reject(new Error('down'));
    if (gate.accepts !== undefined && headers.authorization !== gate.accepts) {
      gate.refused.push(path);
      return gate.answer.then(() => response(401, '{"code":16,"message":"no","details":[]}'));
    }
    if (path === INFO_PATH) return Promise.resolve(response(404, ''));
    if (path !== BATCH) return Promise.resolve(snapshot(headers['if-none-match']));
    const { requests } = JSON.parse(body ?? '{}') as { readonly requests: readonly Item[] };
    return Promise.resolve(
      response(200, JSON.stringify({ requestId: '', responses: requests.map(evaluate) })),
    );
  };

  const logger = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const options = { url: 'http://flipt.test', watch, cache, auth, logger, http: { dispatcher: { request } } };
  const running = pipelineOf(providerSettings(options, {}), clock, () => 0.5);
  const changes: (readonly string[])[] = [];
  running.listen('flags-changed', ({ flags: changed }) => changes.push(changed));
  await running.start();
  // Without this call, the first poll would come with the test's first evaluation, or 250 ms after the start.
  if (watch !== false) await running.refresh();
  await clock.settle();

  /** Returns the flag's value; `undefined` while nothing is known. */
  const enabled = ({ answer }: Resolution) => (answer.kind === 'boolean' ? answer.enabled : undefined);
  const resolve = (flag: string, user: string) => running.evaluate(flag, { targetingKey: user });
  return { clock, flags, it, gate, changes, running, logger, resolve, enabled };
}

function response(statusCode: number, text: string, etag?: string): HttpDispatcherResponse {
  const body = (async function* () {
    yield await Promise.resolve(Buffer.from(text));
  })();
  return {
    statusCode,
    headers: { 'content-type': 'application/json', ...(etag !== undefined && { etag }) },
    body,
  };
}
