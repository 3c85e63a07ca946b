import { describe, expect, it } from 'vitest';
import type { Reply } from '../../src/http/reply.js';
import type { Failure } from '../../src/model/failure.js';
import type { FetchSnapshot, Known } from '../../src/snapshot/fetch-snapshot.js';
import { keepingFlags } from '../../src/snapshot/keep-flags.js';
import { manualClock } from '../clock.fixture.js';
import { bodyJson, fetching, refusedConnection, reply } from './fetched.fixture.js';

const MINUTE = 60_000;
const GOOD = reply(200, bodyJson({ a: true }));
const EMPTY = reply(200, bodyJson({}));
const UNKNOWN = reply(404, { code: 5, message: 'namespace "default" not found', details: [] });

/** Asks a service that has served a flag, and answers now as the test says. */
async function asking(pollMs = 15_000) {
  const clock = manualClock();
  const service: { answer: Reply | Failure } = { answer: GOOD };
  const { fetch } = fetching(() => Promise.resolve(service.answer), clock);
  const place = { url: 'http://flipt.test', namespace: 'default', pollMs };
  let isOvertaken = false;
  const answers: FetchSnapshot = (...of) =>
    isOvertaken ? Promise.resolve({ kind: 'overtaken' }) : fetch(...of);
  const keeping = keepingFlags(answers, { ...place, acceptLossAfterMs: 60 * MINUTE }, clock);
  const first = await fetch(undefined);
  if (!('snapshot' in first)) throw new Error('the service has served nothing');
  const inForce: Known = first;
  return {
    clock,
    overtaken: async () => {
      isOvertaken = true;
      expect(await keeping(inForce)).toEqual({ kind: 'overtaken' });
      isOvertaken = false;
    },
    /** Asks once a minute, for so many minutes. The last answer in short: how many flags, or why there are none. */
    asks: async (answer: Reply | Failure, minutes: number, everyMs = MINUTE) => {
      service.answer = answer;
      let said: number | string = 'nothing';
      for (let passed = 0; passed < minutes * MINUTE; passed += everyMs) {
        await clock.advance(everyMs);
        const fetched = await keeping(inForce);
        said = 'snapshot' in fetched ? fetched.snapshot.flags.keys().size : fetched.kind;
        if (fetched.kind === 'failed') said = fetched.failure.kind;
      }
      return said;
    },
  };
}

describe.each([
  ['a snapshot without flags', EMPTY],
  ['an unknown namespace', UNKNOWN],
])('%s', (_what, lost) => {
  it('counts after an hour in which no other answer came', async () => {
    const { asks } = await asking();
    expect(await asks(lost, 60)).toBe('flags-lost');
    expect(await asks(lost, 1)).toBe(0);
  });

  it.each([
    ['fails', refusedConnection, 'connection'],
    ['is behind a gateway that answers 502', reply(502), 'gateway'],
    ['serves its flags', GOOD, 1],
  ])('counts only an hour after Flipt %s', async (_how, between, said) => {
    const { asks } = await asking();
    expect(await asks(lost, 59)).toBe('flags-lost');
    expect(await asks(between, 1)).toBe(said);
    expect(await asks(lost, 60)).toBe('flags-lost');
    expect(await asks(lost, 1)).toBe(0);
  });

  it('counts only an hour after this instance polls again, where another one polled for ten minutes', async () => {
    const { asks, clock } = await asking();
    expect(await asks(lost, 59)).toBe('flags-lost');
    await clock.advance(10 * MINUTE);
    expect(await asks(lost, 60)).toBe('flags-lost');
    expect(await asks(lost, 1)).toBe(0);
  });

  it('counts after an hour although the polls are nearly ten minutes apart', async () => {
    const { asks } = await asking();
    expect(await asks(lost, 60, 10 * MINUTE)).toBe('flags-lost');
    expect(await asks(lost, 10, 10 * MINUTE)).toBe(0);
  });

  it('counts after an hour although `watch.pollMs` lets polls be further apart', async () => {
    const { asks } = await asking(20 * MINUTE);
    expect(await asks(lost, 60, 20 * MINUTE)).toBe('flags-lost');
    expect(await asks(lost, 20, 20 * MINUTE)).toBe(0);
  });

  it('is not forgotten because an older request ends after a newer one', async () => {
    const { asks, overtaken } = await asking();
    expect(await asks(lost, 60)).toBe('flags-lost');
    await overtaken();
    expect(await asks(lost, 1)).toBe(0);
  });
});
