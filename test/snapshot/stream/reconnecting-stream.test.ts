import { describe, expect, it } from 'vitest';
import type { DiagnosticEvent } from '../../../src/model/events/internal-events.js';
import type { StreamEnd } from '../../../src/snapshot/stream/read-stream.js';
import { openStream } from '../../../src/snapshot/stream/reconnecting-stream.js';
import { SILENT } from '../../../src/model/events/reporter.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { manualClock } from '../../clock.fixture.js';

const BROKEN: StreamEnd = { kind: 'broken', why: 'reset' };

/** Connections that last as long as `lastingMs` says and end as `end` says; no jitter. */
function streaming(lastingMs: number, end: StreamEnd, first?: string) {
  const clock = manualClock();
  const connections: number[] = [];
  const announced: string[] = [];
  const reported: DiagnosticEvent[] = [];
  const stream = openStream(
    (announce, closing) => {
      connections.push(clock.now());
      if (first !== undefined) announce(first);
      return new Promise((resolve) => {
        const cancel = clock.after(
          lastingMs,
          () => {
            resolve(end);
          },
          'background',
        );
        closing.addEventListener('abort', () => {
          cancel();
          resolve({ kind: 'left' });
        });
      });
    },
    (digest) => announced.push(digest),
    runtimeOf(clock, { ...SILENT, report: (event) => reported.push(event) }, () => 1),
  );
  return { clock, connections, announced, reported, stream };
}

const gaps = (times: readonly number[]) => times.slice(1).map((time, at) => time - (times[at] ?? 0));

describe('the stream', () => {
  it('that ends every second is opened again less and less often, down to once a minute', async () => {
    const { clock, connections, reported } = streaming(1000, BROKEN, 'one');
    await clock.advance(300_000);

    expect(gaps(connections)).toEqual([3, 5, 9, 17, 33, 61, 61, 61].map((seconds) => seconds * 1000));
    expect(reported.slice(0, 2)).toEqual([
      { type: 'stream-changed', state: 'open', why: 'an event came' },
      { type: 'stream-changed', state: 'broken', why: 'reset' },
    ]);
  });

  it('is not opened again before the pause is over that the service has asked for', async () => {
    const { clock, connections } = streaming(1000, { ...BROKEN, retryAfterMs: 90_000 });
    await clock.advance(200_000);
    // Later by up to half the usual delay, so that not all instances come back together.
    expect(gaps(connections)).toEqual([92_000, 93_000]);
  });

  it('that lasted a while is opened again soon', async () => {
    const { clock, connections } = streaming(60_000, BROKEN);
    await clock.advance(200_000);

    expect(gaps(connections)).toEqual([61_000, 61_000, 61_000]);
  });

  it('whose time was up is opened again at once', async () => {
    const { clock, connections, reported } = streaming(600_000, { kind: 'left' }, 'one');
    await clock.advance(1_200_000);

    expect(connections).toEqual([0, 600_000, 1_200_000]);
    expect(reported).toHaveLength(1);
  });

  it('that is not offered is tried less and less often, down to every five minutes, and reported once', async () => {
    const { clock, connections, reported } = streaming(0, { kind: 'not-offered', why: '404' });
    await clock.advance(810_000);

    expect(gaps(connections)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300].map((s) => s * 1000));
    expect(reported).toEqual([{ type: 'stream-changed', state: 'not-offered', why: '404' }]);
  });

  it('that is refused for half a minute, as by a gateway that knows no streams, counts as none', async () => {
    const { clock, reported } = streaming(0, { kind: 'broken', why: '502', isRefused: true });
    await clock.advance(29_999);
    const states = () => reported.map((event) => 'state' in event && event.state);
    expect(states()).toEqual(['broken']);
    await clock.advance(1);
    expect(states()).toEqual(['broken', 'not-offered']);
    await clock.advance(100_000);
    expect(states()).toEqual(['broken', 'not-offered']);
  });

  it.each([
    ['cannot be reached', { kind: 'broken', why: 'refused' }, undefined],
    ['has served events', { kind: 'broken', why: '502', isRefused: true }, 'one'],
  ] as const)('of a Flipt that %s is broken, however long', async (_, end, event) => {
    const { clock, reported } = streaming(0, end, event);
    await clock.advance(100_000);
    expect(reported).not.toContainEqual(expect.objectContaining({ state: 'not-offered' }));
  });

  it('that is silent for a minute has not lasted: it is tried less and less often, too', async () => {
    const { clock, connections } = streaming(60_000, { kind: 'not-offered', why: 'no event came' });
    await clock.advance(450_000);

    expect(gaps(connections)).toEqual([62, 64, 68, 76, 92].map((s) => s * 1000));
  });

  it('that has served events is only broken if it seems not to be offered later', async () => {
    const { clock, connections, reported } = streaming(0, { kind: 'not-offered', why: '404' }, 'one');
    await clock.advance(250_000);

    expect(gaps(connections)).toEqual([2, 4, 8, 16, 32, 60, 60, 60].map((s) => s * 1000));
    expect(reported.slice(0, 2)).toEqual([
      { type: 'stream-changed', state: 'open', why: 'an event came' },
      { type: 'stream-changed', state: 'broken', why: '404' },
    ]);
  });

  it('that is broken off is opened again later, and one that is not open cannot be broken off', async () => {
    const { clock, connections, reported, stream } = streaming(100_000, BROKEN, 'one');
    await clock.advance(60_000);
    stream.breakOff('refused');
    stream.breakOff('refused again');
    await clock.advance(999);
    expect(connections).toEqual([0]);
    stream.breakOff('refused while it is not open');
    await clock.advance(1);

    expect(connections).toEqual([0, 61_000]);
    expect(reported.slice(1)).toEqual([
      { type: 'stream-changed', state: 'broken', why: 'refused' },
      { type: 'stream-changed', state: 'open', why: 'an event came' },
    ]);
  });

  it('ends with close, and leaves no timer', async () => {
    const { clock, connections, stream } = streaming(1000, BROKEN);
    await clock.advance(500);
    stream.close();
    await clock.advance(100_000);

    expect(connections).toEqual([0]);
    expect(clock.timers()).toBe(0);
  });
});
