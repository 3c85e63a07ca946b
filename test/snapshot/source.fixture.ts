import type { FliptEvent, FliptEventType } from '../../src/model/events/flipt-event.js';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import type { Outcome, ServiceRequest } from '../../src/http/reply.js';
import { SnapshotSource, type SnapshotSourceSettings } from '../../src/snapshot/source.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { INFO_PATH } from '../servers/scripted.fixture.js';
import { reply } from './fetched.fixture.js';

export const POLL_MS = 15_000;
export const ORIGIN = { url: 'http://flipt.test', namespace: 'default', environment: undefined };

export type Answer = (request: ServiceRequest) => Outcome | Promise<Outcome>;

/** A Flipt that serves a snapshot with these flags, under an ETag that follows them. */
export function serving(flags: () => object): Answer {
  return ({ headers }) => {
    const body = flags();
    const etag = JSON.stringify(body).slice(-64).replace(/[^\w]/g, '');
    return headers?.['if-none-match'] === etag ? reply(304) : reply(200, body, { etag });
  };
}

/** A snapshot source on a clock that stands still, with all that it does. Without a jitter. */
export function sourceOf(
  answer: Answer,
  more: Partial<SnapshotSourceSettings> = {},
  clock = manualClock(),
  random = () => 0.5,
) {
  const polls: ServiceRequest[] = [];
  const reported: FliptEvent[] = [];
  const warnings: string[] = [];
  const lines: string[] = [];
  const log = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const diagnostics = openDiagnostics();
  const report: typeof diagnostics.report = (event) => {
    reported.push(event);
    diagnostics.report(event);
  };
  const send = (request: ServiceRequest): Promise<Outcome> => {
    const isPoll = request.path !== INFO_PATH && request.stream === undefined;
    if (isPoll) polls.push(request);
    return Promise.resolve(request.path === INFO_PATH && !isAnsweringInfo ? reply(404) : answer(request));
  };
  const isAnsweringInfo = 'info' in answer;
  const settings = {
    ...ORIGIN,
    http: { timeoutMs: 500 },
    watch: { pollMs: POLL_MS, maxAgeMs: 600_000, stream: false },
    snapshot: {},
    initTimeoutMs: 5_000,
    evaluation: 'remote' as const,
    logger: { error: log('error'), warn: log('warn'), info: log('info'), debug: log('debug') },
    ...more,
  };
  const warn = (message: string) => void warnings.push(message);
  const source = new SnapshotSource(
    send,
    settings,
    warn,
    runtimeOf(clock, { ...diagnostics, report }, random),
    { watched: () => undefined, polled: () => undefined, changed: () => undefined },
  );
  const events = <Type extends FliptEventType>(type: Type) =>
    reported.filter((event) => event.type === type) as (FliptEvent & { readonly type: Type })[];
  return {
    clock,
    source,
    polls,
    warnings,
    /** What the log says, with its level. */
    lines,
    events,
    /** The ETag that each poll has named. */
    named: () => polls.map(({ headers }) => headers?.['if-none-match']),
    changed: () => events('flags-changed').map(({ flags }) => flags),
    conditions: () => events('watch-changed').map(({ state }) => state),
    keys: () => [...(source.snapshot()?.flags.keys().keys() ?? [])],
  };
}

/** The source after its first poll. */
export async function opened(...of: Parameters<typeof sourceOf>) {
  const made = sourceOf(...of);
  void made.source.open();
  await made.clock.advance(0);
  return made;
}
