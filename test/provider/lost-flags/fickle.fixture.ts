import { OpenFeatureEventEmitter, ProviderEvents } from '@openfeature/server-sdk';
import { onTestFinished } from 'vitest';
import type {
  FliptProviderOptions,
  HttpDispatcherRequest,
  HttpDispatcherResponse,
} from '../../../src/index.js';
import { providerSettings } from '../../../src/options/settings.js';
import { Lifecycle } from '../../../src/provider/lifecycle.js';
import { manualClock, type ManualClock } from '../../clock.fixture.js';
import { eventually } from '../../eventually.fixture.js';
import { INFO_PATH, item, SNAPSHOT_PATH, type Item } from '../../servers/scripted.fixture.js';
import { recordingLogger } from '../open.fixture.js';

/**
 * The ways in which a Flipt is up, but wrong. `empty` is v1 with a new database, `empty-tagged` is v2 with an empty
 * features file, and `unknown` is v2 with a features file that its validator refuses. In all three, no flag is found.
 */
export const WITHOUT_FLAGS = ['empty', 'empty-tagged', 'unknown'] as const;
export type Lost = (typeof WITHOUT_FLAGS)[number];
/** Each loss in one mode: what the loss means does not depend on where flags are evaluated. */
export const LOSSES = [
  ['remote', 'unknown'],
  ['in-process', 'empty'],
  ['remote', 'empty-tagged'],
] as const satisfies readonly (readonly [string, Lost])[];

export interface Fickle {
  /**
   * How Flipt behaves. `down`: it refuses connections. `unwatchable`: it fails to give its snapshot.
   * `without-snapshots`: it has no snapshots. `page`, `failing`: a gateway answers in its place. `refusing`: it rejects
   * the credentials.
   */
  state: 'good' | 'down' | 'unwatchable' | 'without-snapshots' | 'page' | 'failing' | 'refusing' | Lost;
  /** Whether it accepts requests, but never answers them. */
  isHanging: boolean;
  /** A function that is called before each request is answered. */
  beforeEach: () => void;
  /** The keys of its boolean flags while it is good. */
  flags: readonly string[];
  /** Those of these keys whose flags are off. Like a Flipt after 2.12, it says that they are disabled. */
  off: readonly string[];
  /** Those of these keys that it does not know when it is asked for them. */
  unknown: readonly string[];
  /** How many requests for the snapshot it got. */
  polls: number;
  /** The flag keys that it was asked for. */
  readonly asked: string[];
  readonly request: (request: HttpDispatcherRequest) => Promise<HttpDispatcherResponse>;
  /** Ends the streams that are open, and announces this digest at the next ones. */
  readonly announce: (digest: string) => void;
}

export const DIGEST = 'a'.repeat(40);
const TAGS: { readonly [State in Fickle['state']]?: string } = { 'empty-tagged': DIGEST };

/**
 * Makes a Flipt in memory that answers as real ones did when they were tried. It is asked through the option
 * `http.dispatcher`.
 */
export function fickleFlipt(): Fickle {
  const snapshot = (given: string | undefined): HttpDispatcherResponse => {
    if (it.state === 'unknown') {
      const message = 'evaluation snapshot for namespace "default" not found';
      return response(404, { code: 5, message, details: [] });
    }
    const flags =
      it.state === 'good'
        ? it.flags.map((key) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled: !it.off.includes(key) }))
        : [];
    const etag = it.state === 'good' ? `tag-${it.flags.join()}` : TAGS[it.state];
    if (etag !== undefined && given === etag) return response(304, undefined, etag);
    const digest = it.state === 'empty-tagged' ? { digest: DIGEST } : {};
    return response(200, { namespace: { key: 'default' }, flags, ...digest }, etag);
  };
  const evaluated = (key: string) =>
    it.off.includes(key)
      ? item.boolean(key, false, { reason: 'FLAG_DISABLED_EVALUATION_REASON' })
      : item.boolean(key);
  let events: readonly string[] = [];
  let endStreams: () => void = () => undefined;
  /** Yields events of Flipt v2's stream of changes, and then nothing more. */
  async function* stream(): AsyncGenerator<Buffer> {
    for (const digest of events)
      yield Buffer.from(`data: {"etag":"${digest}","type":"refetchEvaluation"}\n\n`);
    await new Promise<void>((resolve) => (endStreams = resolve));
  }
  const it: Fickle = {
    state: 'good',
    isHanging: false,
    flags: ['a', 'b'],
    off: [],
    unknown: [],
    beforeEach: () => undefined,
    polls: 0,
    asked: [],
    async request({ path, body, headers }) {
      await Promise.resolve();
      it.beforeEach();
      if (it.isHanging) return new Promise(() => undefined);
      if (it.state === 'down') throw new Error('down');
      if (it.state === 'failing') return response(503);
      if (it.state === 'refusing') return response(401, { code: 16, message: 'no', details: [] });
      if (it.state === 'page') return response(200, 'Welcome');
      if (path.endsWith('/stream')) {
        return { statusCode: 200, headers: { 'content-type': 'text/event-stream' }, body: stream() };
      }
      if (path === INFO_PATH) return response(404);
      if (path.startsWith(SNAPSHOT_PATH)) {
        it.polls++;
        if (it.state === 'without-snapshots') return response(404);
        if (it.state === 'unwatchable') return response(500, { code: 13, message: 'disk', details: [] });
        return snapshot(headers['if-none-match']);
      }
      const { requests } = JSON.parse(body ?? '{}') as { readonly requests: readonly Item[] };
      const answers = requests.map(({ flagKey }) => {
        if (flagKey !== '') it.asked.push(flagKey);
        const known = ['good', 'unwatchable'].includes(it.state) ? it.flags : [];
        const isThere = known.includes(flagKey) && !it.unknown.includes(flagKey);
        return isThere ? evaluated(flagKey) : item.missing(flagKey);
      });
      return response(200, { requestId: '', responses: answers });
    },
    announce(digest) {
      events = [digest];
      endStreams();
    },
  };
  return it;
}

function response(statusCode: number, body?: object | string, etag?: string): HttpDispatcherResponse {
  const text = body === undefined ? '' : JSON.stringify(body);
  const chunks = (async function* () {
    yield await Promise.resolve(Buffer.from(text));
  })();
  return {
    statusCode,
    headers: {
      'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
      ...(etag !== undefined && { etag }),
    },
    body: chunks,
  };
}

/**
 * Makes a provider of this Flipt, with a clock that the test advances. It has started, and its first poll has ended.
 */
export async function fickleLife(
  flipt: Fickle,
  options: FliptProviderOptions = {},
  clock: ManualClock = manualClock(),
  random = () => 0.5,
  /** Is called so many milliseconds after the beginning of the start, or just before it. */
  early?: { readonly afterMs: number; readonly call: (lifecycle: Lifecycle) => void },
) {
  const logger = recordingLogger();
  const http = { dispatcher: { request: flipt.request }, retries: 0 };
  const settings = providerSettings({ url: 'http://flipt.test', logger, ...options, http }, {});
  const emitter = new OpenFeatureEventEmitter();
  const events: string[] = [];
  /** What `getStatus()` says when OpenFeature's events come. */
  const seen: string[] = [];
  /** OpenFeature's events with their messages. */
  const said: string[] = [];
  for (const event of Object.values(ProviderEvents)) {
    emitter.addHandler(event, (details) => {
      events.push(event);
      said.push(`${event}: ${details?.message ?? ''}`);
      const { condition, problems } = lifecycle.status();
      seen.push([condition, ...problems].join(' '));
    });
  }
  const lifecycle = new Lifecycle(settings, emitter, { clock, random });
  onTestFinished(() => lifecycle.close());
  const polls: string[] = [];
  lifecycle.listen((event) => {
    if (event.type === 'snapshot-polled') polls.push(event.failure ?? 'ok');
  });
  const ended = async <T>(coming: Promise<T>, stepMs = 0): Promise<T> => {
    let isEnded = false;
    void coming.finally(() => (isEnded = true));
    // Files are loaded in the real event loop, and not on the test's clock.
    await eventually(async () => {
      await clock.advance(stepMs);
      return isEnded;
    });
    return coming;
  };
  if (early?.afterMs === 0) early.call(lifecycle);
  const starting = lifecycle.start();
  if (early !== undefined) await clock.advance(early.afterMs);
  if (early !== undefined && early.afterMs > 0) early.call(lifecycle);
  // If Flipt answers, no time passes, because a slow disk must not look like a store that is late.
  await ended(starting, flipt.state === 'down' || early !== undefined ? 100 : 0);
  await clock.settle();
  let users = 0;
  return {
    clock,
    lifecycle,
    emitter,
    events,
    seen,
    said,
    logger,
    polls,
    ended,
    /**
     * Resolves a flag for a user who was never asked about. Returns the outcome in short: `on`, `STALE on`,
     * `FLAG_NOT_FOUND` or `GENERAL`.
     */
    async resolve(flag: string, user = `user-${++users}`) {
      const resolution = await ended(Promise.resolve(lifecycle.evaluate(flag, { targetingKey: user })));
      const { answer, stale } = resolution;
      if (answer.kind === 'missing') return 'FLAG_NOT_FOUND';
      if (answer.kind === 'failed') return answer.failure.kind;
      const value = answer.kind === 'boolean' && answer.enabled ? 'on' : 'off';
      return stale ? `STALE ${value}` : value;
    },
    condition: () => lifecycle.status().condition,
    problems: () => lifecycle.status().problems,
    lines: (level: 'error' | 'warn' | 'info') => logger[level].mock.calls.map(([line]) => String(line)),
    /** Advances the clock by intervals of the watch. In each interval, a user asks, or nobody does. */
    async passes(ms: number, everyMs = 1_000, flags: readonly string[] = []) {
      const answers = new Set<string>();
      for (let passed = 0; passed < ms; passed += everyMs) {
        for (const flag of flags) answers.add(await this.resolve(flag));
        await clock.advance(everyMs);
      }
      return [...answers];
    },
  };
}
