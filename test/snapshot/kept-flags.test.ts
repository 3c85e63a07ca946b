import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/http/reply.js';
import { manualClock } from '../clock.fixture.js';
import { bodyJson, refusedConnection, reply } from './fetched.fixture.js';
import { savedText, savingStore } from './saved-text.fixture.js';
import { opened, ORIGIN, POLL_MS } from './source.fixture.js';

const HOUR = 3_600_000;
const FLAGS = reply(200, bodyJson({ a: true, b: true }), { etag: 'one' });
const UNKNOWN = reply(404, { code: 5, message: 'evaluation snapshot for namespace "default" not found' });
const EMPTY = reply(200, bodyJson({}));

/** A Flipt that has served flags once, and then answers otherwise. */
async function lost(then: Outcome) {
  const state = { answer: FLAGS as Outcome };
  const made = await opened(() => state.answer);
  state.answer = then;
  await made.clock.advance(POLL_MS);
  return { ...made, state };
}

describe.each([
  ['that does not know the namespace any more', UNKNOWN],
  ['that serves no flag any more', EMPTY],
])('the flags of a Flipt %s', (_what, answer) => {
  it('stay in force, and the poll fails with flags-lost', async () => {
    const { keys, events, changed, lines } = await lost(answer);
    expect([keys(), changed()]).toEqual([['a', 'b'], []]);
    expect(events('snapshot-polled').at(-1)?.failure).toBe('flags-lost');
    expect(lines.at(-1)).toMatch(/, although it has served 2 flags before$/);
  });

  it('are gone once invalidate() has accepted it, and the emptiness stays accepted', async () => {
    const { clock, source, keys, changed, events, lines } = await lost(answer);
    await source.poller.pollNext('reset');
    expect([keys(), changed()]).toEqual([[], [['a', 'b']]]);
    expect(lines).toContain(
      'warn: The namespace "default" is empty, as invalidate() has accepted; its 2 flags are gone',
    );
    await clock.advance(2 * POLL_MS);
    expect(events('snapshot-polled').at(-1)?.failure).toBeUndefined();
  });

  it('are gone after an hour in which Flipt has said nothing else', async () => {
    const { clock, keys, lines } = await lost(answer);
    await clock.advance(HOUR - POLL_MS);
    expect(keys()).toEqual(['a', 'b']);
    await clock.advance(2 * POLL_MS);
    expect(keys()).toEqual([]);
    expect(lines.at(-1)).toMatch(/^error: The namespace "default" has had no flags for 3600 s/);
  });

  it('stay for another hour after a poll that failed otherwise', async () => {
    const { clock, keys, state } = await lost(answer);
    await clock.advance(HOUR / 2);
    state.answer = refusedConnection;
    await clock.advance(POLL_MS);
    state.answer = answer;
    await clock.advance(HOUR - 2 * POLL_MS);
    expect(keys()).toEqual(['a', 'b']);
    await clock.advance(3 * POLL_MS);
    expect(keys()).toEqual([]);
  });

  it('come back with the next poll that serves them', async () => {
    const { clock, state, keys, changed } = await lost(answer);
    state.answer = FLAGS;
    await clock.advance(POLL_MS);
    expect([keys(), changed()]).toEqual([['a', 'b'], []]);
  });
});

it.each([UNKNOWN, EMPTY])(
  'saved flags that a slow store gives during the first poll stay in force: %#',
  async (answer) => {
    const clock = manualClock();
    const later = <T>(ms: number, value: T) =>
      new Promise<T>((resolve) => void clock.after(ms, () => resolve(value)));
    const text = savedText({ flags: [{ key: 'a' }] }, {}, ORIGIN);
    const store = { ...savingStore().store, load: () => later(400, text) };
    const { keys, events } = await opened(() => later(1_000, answer), { snapshot: { store } }, clock);
    await clock.advance(2_000);
    expect(keys()).toEqual(['a']);
    expect(events('snapshot-polled').at(-1)?.failure).toBe('flags-lost');
  },
);

it('a namespace that never had flags is suspect, and no loss', async () => {
  for (const [answer, failure] of [
    [UNKNOWN, 'not-found'],
    [EMPTY, undefined],
    [reply(200, bodyJson({}), { etag: 'of nothing' }), undefined],
  ] as const) {
    const { events } = await opened(() => answer);
    expect(events('namespace-suspect').map((event) => event.failure)).toEqual([failure]);
    expect(events('snapshot-polled').map((event) => event.failure)).toEqual([failure]);
  }
});

it('a namespace whose saved snapshot is empty, too, is suspect', async () => {
  const saved = savingStore();
  const { events } = await opened(() => EMPTY, { snapshot: { store: saved.store } });
  const again = await opened(() => EMPTY, { snapshot: { store: saved.store } });
  expect([events('namespace-suspect').length, again.events('namespace-suspect').length]).toEqual([1, 1]);
});

it('flags that cannot be read are reported in the background, and again when they change', async () => {
  let type = 'NEW_FLAG_TYPE';
  const body = () => ({ flags: [{ key: 'ok' }, { key: 'new', type }] });
  const { clock, events, source } = await opened(() => reply(200, body()));
  const reported = () => events('flags-unreadable').map(({ flags }) => flags);
  expect(reported()).toEqual([['new']]);
  expect(source.snapshot()?.flags.foundUnreadable.get('new')?.reason).toContain('NEW_FLAG_TYPE');
  await clock.advance(2 * POLL_MS);
  expect(reported()).toEqual([['new']]);
  type = 'BOOLEAN_FLAG_TYPE';
  await clock.advance(POLL_MS);
  expect(reported()).toEqual([['new'], []]);
});
