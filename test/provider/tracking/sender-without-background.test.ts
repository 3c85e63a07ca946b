import { describe, expect, it } from 'vitest';
import { lineOf, tracked } from './tracked.fixture.js';

const never = new Promise<never>(() => undefined);

describe('without a background', () => {
  it('flush alone sends: no timer waits, however many events there are', async () => {
    const { tracking, expose, clock, received } = tracked({ background: false });
    for (let n = 0; n < 150; n++) expose(`user-${n}`);
    await clock.advance(3_600_000);
    expect(received).toEqual([]);
    await tracking.flush();
    expect(received.map(({ length }) => length)).toEqual([100, 50]);
  });

  it('events whose call ended with its request are sent again by a later flush', async () => {
    let isDown = true;
    const received: string[] = [];
    const { tracking, expose, clock, reported } = tracked({
      background: false,
      send: (events) => (isDown ? never : void received.push(...events.map(lineOf))),
    });
    // The timers of a request end with it, too.
    const after = clock.after.bind(clock);
    clock.after = (ms, run, kind) => (isDown && ms > 2_000 ? () => undefined : after(ms, run, kind));
    const flushed = async () => {
      const ended = tracking.flush();
      await clock.advance(2_000);
      await ended;
    };
    for (let call = 0; call < 10; call++) {
      for (let n = 0; n < 100; n++) expose(`user-${call}-${n}`);
      await flushed();
    }
    expect(received).toEqual([]);
    isDown = false;
    await clock.advance(10_000);
    await flushed();
    expect(received).toHaveLength(1_000);
    expect(reported).toEqual({ sent: 1_000, lost: 0 });
  });

  it('events of two calls that failed are sent again in their order', async () => {
    const calls: { readonly first: string; readonly fail: () => void }[] = [];
    const { tracking, expose, clock } = tracked({
      background: false,
      send: ([first]) =>
        new Promise((_, reject) => {
          const fail = () => {
            reject(new Error('down'));
          };
          calls.push({ first: first === undefined ? '' : lineOf(first), fail });
        }),
    });
    for (const name of ['early', 'late']) {
      for (let n = 0; n < 100; n++) expose(`${name}-${n}`);
      void tracking.flush();
      await clock.settle();
    }
    for (const { fail } of calls) {
      fail();
      await clock.settle();
    }
    await clock.advance(100);
    expect(calls.map(({ first }) => first)).toEqual(
      ['early-0', 'late-0', 'early-0', 'late-0'].map((user) => `${user} flag on`),
    );
  });
});
