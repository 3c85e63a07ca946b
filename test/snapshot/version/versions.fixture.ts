import type { Clock } from '../../../src/base/time/clock.js';
import { manualClock } from '../../clock.fixture.js';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { Outcome, Send } from '../../../src/http/reply.js';
import type { SnapshotOptions } from '../../../src/options/provider-options.js';
import { openSnapshotSource } from '../../../src/snapshot/snapshot-source.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { INFO_PATH } from '../../servers/scripted.fixture.js';
import { refusedConnection, reply } from '../fetched.fixture.js';

export const POLL_MS = 15_000;

/** The body has two variant flags. The rules of 2.8 and of 2.9 share out only `uneven` in different ways. */
const variantFlag = (key: string, rollouts: readonly number[]) => ({
  key,
  type: 'VARIANT_FLAG_TYPE',
  enabled: true,
  rules: [
    {
      segments: [{ key: 'all', matchType: 'ALL_SEGMENT_MATCH_TYPE', constraints: [] }],
      distributions: rollouts.map((rollout, at) => ({ variantKey: `${at}`, variantAttachment: '', rollout })),
    },
  ],
});
const DIGEST = 'd'.repeat(40);
export const BODY = {
  namespace: { key: 'default' },
  flags: [variantFlag('uneven', [50, 25]), variantFlag('even', [50, 50])],
  digest: DIGEST,
};

/** The rules of 2.8 and of 2.9 share out all flags of this body in the same way. */
export const EVEN_BODY = { ...BODY, flags: [variantFlag('even', [50, 50])] };
/** This body has so many flags that looking at them takes several turns of the event loop. The last one is `uneven`. */
export const LARGE_BODY = {
  ...BODY,
  flags: [
    ...Array.from({ length: 3_000 }, (_, at) => variantFlag(`even-${at}`, [50, 50])),
    variantFlag('uneven', [50, 25]),
  ],
};

/** Makes what v2 says about its own version. */
export const release = (version: string, isRelease = true) => reply(200, { build: { version, isRelease } });

export const OLD = release('v2.8.0');
export const NEW = release('v2.11.0');
/** Of 1,000 users, this many are beyond the 75 % of `uneven`. */
export const LEFT_OUT = 239;

/** Makes a Flipt that may be upgraded. Its snapshot and its ETag stay until the test replaces them, each by itself. */
export function upgradable(clock: Clock, info: Outcome | Promise<Outcome>) {
  const service = {
    info,
    isDown: false,
    body: BODY as object,
    hasEtag: true,
    etag: DIGEST,
    /** How many milliseconds a whole body takes. */
    bodyMs: 0,
    polls: 0,
    bodies: 0,
    /** The tag that each poll has named. */
    named: [] as (string | undefined)[],
    questions: 0,
    streamType: 'text/event-stream',
    /** Ends the stream, if there is one. */
    breakStream: () => {},
  };
  async function* events() {
    yield Buffer.from(`data: {"etag":"${DIGEST}"}\n\n`);
    await new Promise<void>((resolve) => (service.breakStream = resolve));
  }
  const send: Send = async ({ path, headers, optional, stream }) => {
    if (stream) {
      return { ...reply(200, {}, { 'content-type': service.streamType }), chunks: events() };
    }
    if (path === INFO_PATH) {
      if (optional !== true) throw new Error('the question is not marked as optional');
      service.questions++;
      return service.isDown ? refusedConnection : service.info;
    }
    service.polls++;
    service.named.push(headers?.['if-none-match']);
    if (service.isDown) return refusedConnection;
    if (headers?.['if-none-match'] === service.etag) return reply(304);
    service.bodies++;
    if (service.bodyMs > 0) await new Promise<void>((resolve) => clock.after(service.bodyMs, resolve));
    return reply(200, service.body, service.hasEtag ? { etag: service.etag } : {});
  };
  return Object.assign(service, { send });
}

/** Makes the snapshots of one instance that watches it. */
export async function watchingVersions(
  send: Send,
  clock: Clock,
  snapshot: SnapshotOptions = {},
  { stream = false, pollMs = POLL_MS } = {},
) {
  const changed: (readonly string[])[] = [];
  const diagnostics = openDiagnostics();
  diagnostics.listen('flags-changed', ({ flags }) => changed.push(flags));
  const warnings: string[] = [];
  const closing = new AbortController();
  const opened = await openSnapshotSource(
    send,
    {
      url: 'http://flipt.test',
      namespace: 'default',
      environment: undefined,
      http: { timeoutMs: 500 },
      watch: { pollMs, maxAgeMs: 600_000, stream },
      snapshot,
      evaluation: 'in-process',
      initTimeoutMs: 5_000,
    },
    { warn: (message) => warnings.push(message), closing: closing.signal },
    runtimeOf(clock, diagnostics, () => 0.5),
  );
  return {
    ...opened,
    changed,
    warnings,
    semantics: () => opened.watch.snapshot()?.semantics,
    /** Returns how many of 1,000 users get no variant of `uneven`. */
    without: () =>
      Array.from({ length: 1_000 }, (_, at) =>
        opened.evaluate({ namespace: 'default', flag: 'uneven', entity: `${at}`, attributes: {} }),
      ).filter((answer) => answer?.kind === 'variant' && !answer.match).length,
    async close() {
      closing.abort();
      await opened.close();
    },
  };
}

/** Makes an instance that has polled such a Flipt once. */
export async function watched(info: Outcome | Promise<Outcome>, body: object = BODY, pollMs?: number) {
  const clock = manualClock();
  const service = upgradable(clock, info);
  service.body = body;
  const snapshots = await watchingVersions(service.send, clock, {}, { pollMs });
  await clock.advance(1);
  /** Makes one poll fail and the next one succeed. */
  const returned = async () => {
    service.isDown = true;
    await clock.advance(POLL_MS);
    service.isDown = false;
    await clock.advance(POLL_MS);
  };
  return { clock, service, snapshots, returned };
}
