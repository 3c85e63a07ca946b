import { describe, expect, it } from 'vitest';
import type { Outcome, ServiceRequest } from '../../src/http/reply.js';
import { manualClock } from '../clock.fixture.js';
import { bodyJson, reply } from './fetched.fixture.js';
import { opened, POLL_MS, type Answer } from './source.fixture.js';

const EVENTS = { 'content-type': 'text/event-stream' };
const event = (digest: string) => Buffer.from(`data: {"etag":"${digest}","type":"refetchEvaluation"}\n\n`);

/** A Flipt 2 with a stream. `announce` sends an event into the open connection, and `cut` ends it. */
function streaming(first: readonly string[] = ['one']) {
  const flipt = {
    digest: 'one',
    served: undefined as string | undefined,
    connections: [] as ServiceRequest[],
    polls: 0,
    instead: undefined as Outcome | undefined,
    announce: (digest: string) => {
      flipt.digest = digest;
    },
    cut: () => {},
  };
  async function* chunks(signal: AbortSignal | undefined) {
    const waiting: (Buffer | undefined)[] = first.map(event);
    let wake: () => void = () => undefined;
    const push = (chunk: Buffer | undefined) => {
      waiting.push(chunk);
      wake();
    };
    flipt.announce = (digest) => {
      flipt.digest = digest;
      push(event(digest));
    };
    flipt.cut = () => push(undefined);
    signal?.addEventListener('abort', () => push(undefined));
    for (;;) {
      while (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      const chunk = waiting.shift();
      if (chunk === undefined) return;
      yield chunk;
    }
  }
  const answer: Answer = (request) => {
    if (request.stream) {
      flipt.connections.push(request);
      return flipt.instead ?? { ...reply(200, '', EVENTS), chunks: chunks(request.signal) };
    }
    flipt.polls++;
    const digest = flipt.served ?? flipt.digest;
    return reply(200, bodyJson({ [digest]: true }, { digest }), { etag: digest });
  };
  return Object.assign(flipt, { answer });
}

const WATCH = { pollMs: POLL_MS, maxAgeMs: 600_000, stream: true };

async function watching(flipt = streaming(), random?: () => number) {
  const made = await opened(flipt.answer, { watch: WATCH }, manualClock(), random);
  const states = () => made.events('stream-changed').map(({ state }) => state);
  return { ...made, flipt, states };
}

describe('the stream', () => {
  it('is asked for with exactly this type and without a digest, and its first event is no news', async () => {
    const { flipt, states, clock } = await watching();
    expect(flipt.connections).toMatchObject([
      {
        path: '/client/v2/environments/default/namespaces/default/stream',
        headers: { accept: 'text/event-stream' },
      },
    ]);
    expect([states(), flipt.polls]).toEqual([['open'], 1]);
    expect(clock.timers('awaited')).toBe(0);
  });

  it('makes a change count at once', async () => {
    const { flipt, clock, keys, changed } = await watching();
    await clock.advance(100);
    flipt.announce('two');
    await clock.advance(0);
    expect([keys(), changed()]).toEqual([['two'], [['one', 'two']]]);
  });

  it('is polled for until the change can be read, for 20 s at most', async () => {
    const { flipt, clock, keys } = await watching();
    flipt.served = 'one';
    flipt.announce('two');
    await clock.advance(1_000);
    expect(keys()).toEqual(['one']);
    flipt.served = undefined;
    await clock.advance(2_000);
    expect(keys()).toEqual(['two']);
    flipt.served = 'two';
    flipt.announce('three');
    await clock.advance(25_000);
    flipt.polls = 0;
    await clock.advance(POLL_MS);
    expect(flipt.polls).toBe(1);
  });

  it('that a load balancer cuts after 30 s of silence is away for a second each time', async () => {
    const { flipt, clock, states } = await watching(undefined, () => 0.99);
    for (let cut = 0; cut < 20; cut++) {
      await clock.advance(30_000);
      flipt.cut();
      await clock.advance(1_000);
      expect(states().at(-1)).toBe('open');
    }
  });

  it('that never serves an event is tried less and less often, and reported once', async () => {
    const { flipt, clock, states } = await watching(streaming([]));
    await clock.advance(2_000);
    expect(states()).toEqual(['not-offered']);
    await clock.advance(3_600_000);
    const before = flipt.connections.length;
    await clock.advance(3_600_000);
    expect(flipt.connections.length - before).toBeLessThan(20);
    expect(states()).toEqual(['not-offered']);
  });

  it.each<[string, Outcome, 'broken' | 'not-offered']>([
    ['404', reply(404, 'no'), 'not-offered'],
    ['a page', reply(200, 'a page'), 'not-offered'],
    [
      'the stream of a Flipt before 2.9',
      reply(200, '{}', { 'content-type': 'application/json' }),
      'not-offered',
    ],
    ['503', reply(503, 'no'), 'broken'],
    ['no connection', { kind: 'connection', message: 'refused' }, 'broken'],
  ])('answered by %s is %s', async (_what, instead, state) => {
    const flipt = streaming();
    flipt.instead = instead;
    const { states, polls } = await watching(flipt);
    expect(states()).toEqual([state]);
    expect(polls).toHaveLength(1);
  });

  it('that has served events is only broken if it seems not to be offered later, and opens again', async () => {
    const { flipt, clock, states } = await watching();
    flipt.instead = reply(404, 'no');
    flipt.cut();
    await clock.advance(10_000);
    flipt.instead = undefined;
    await clock.advance(60_000);
    expect(states()).toEqual(['open', 'broken', 'open']);
  });

  it('waits as long as Retry-After asks for', async () => {
    const flipt = streaming();
    flipt.instead = reply(503, 'no', { 'retry-after': '90' });
    const { clock } = await watching(flipt);
    await clock.advance(89_000);
    expect(flipt.connections).toHaveLength(1);
    await clock.advance(2_000);
    expect(flipt.connections).toHaveLength(2);
  });

  it('ends when Flipt cannot be reached, and opens again later', async () => {
    const { flipt, clock, source, states } = await watching();
    source.unreachable();
    await clock.settle();
    expect([states(), flipt.connections.length]).toEqual([['open', 'broken'], 1]);
    await clock.advance(1_000);
    expect([states(), flipt.connections.length]).toEqual([['open', 'broken', 'open'], 2]);
  });

  it('is opened anew after ten minutes, because a dead connection looks like a silent one', async () => {
    const { flipt, clock, states } = await watching();
    await clock.advance(600_000);
    expect([states(), flipt.connections.length]).toEqual([['open'], 2]);
  });

  it('whose events never end causes ten polls a second at most', async () => {
    const { flipt, clock } = await watching();
    flipt.polls = 0;
    for (let at = 0; at < 100; at++) {
      flipt.announce(`digest-${at}`);
      await clock.advance(10);
    }
    expect(flipt.polls).toBeLessThanOrEqual(11);
  });

  it('ends with close, and leaves no timer', async () => {
    const { clock, source, flipt } = await watching();
    await source.close();
    await clock.settle();
    expect(clock.timers()).toBe(0);
    expect(flipt.connections[0]?.signal?.aborted).toBe(true);
  });
});
