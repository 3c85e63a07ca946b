import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/http/reply.js';
import { SavedSnapshot } from '../../src/snapshot/save.js';
import type { SnapshotSourceSettings } from '../../src/snapshot/source.js';
import { manualClock } from '../clock.fixture.js';
import { parseSnapshot } from './bodies.fixture.js';
import { bodyJson, refusedConnection, reply } from './fetched.fixture.js';
import { opened, ORIGIN, POLL_MS, sourceOf } from './source.fixture.js';

const bodyOf = (state: number) =>
  reply(200, bodyJson({ [`state-${state}`]: true }), { etag: `etag-${state}` });
const stateIn = (text = '') => Number(/state-(\d+)/.exec(text)?.[1]);

/** A store in memory, whose calls a test can make slow, failing or hanging. */
function memory(texts: string[] = []) {
  const store = {
    texts,
    way: (): Promise<unknown> => Promise.resolve(),
    /** How many saves run at once, at most. */
    most: 0,
    running: 0,
    async load(): Promise<string | undefined> {
      await store.way();
      return texts.at(-1);
    },
    async save(text: string): Promise<void> {
      store.most = Math.max(store.most, ++store.running);
      await store.way().finally(() => store.running--);
      texts.push(text);
    },
  };
  return store;
}

async function saving(store = memory(), more: Partial<SnapshotSourceSettings> = {}) {
  const state = { answer: bodyOf(1) as Outcome };
  const made = await opened(() => state.answer, { snapshot: { store }, ...more });
  return { ...made, store, state };
}

describe('a snapshot is saved', () => {
  it('at once, and then after changes, five seconds apart', async () => {
    const { clock, source, store, state } = await saving();
    expect(store.texts.map(stateIn)).toEqual([1]);
    for (const next of [2, 3]) {
      state.answer = bodyOf(next);
      await source.poller.pollNext();
    }
    expect(store.texts.map(stateIn)).toEqual([1]);
    await clock.advance(5_000);
    expect(store.texts.map(stateIn)).toEqual([1, 3]);
  });

  it('not while nothing changes, also without an ETag', async () => {
    const { clock, store, state } = await saving();
    state.answer = reply(200, bodyJson({ 'state-1': true }));
    await clock.advance(20 * POLL_MS);
    expect(store.texts.length).toBeLessThanOrEqual(2);
  });

  it('by the close, if a change waits', async () => {
    const { source, store, state } = await saving();
    state.answer = bodyOf(2);
    await source.poller.pollNext();
    await source.close();
    expect(store.texts.map(stateIn)).toEqual([1, 2]);
  });

  it('one at a time: an older one that is slow does not replace a newer one', async () => {
    const { clock, source, store, state } = await saving();
    let end: () => void = () => undefined;
    store.way = () => new Promise<void>((resolve) => (end = resolve));
    state.answer = bodyOf(2);
    await clock.advance(POLL_MS);
    store.way = () => Promise.resolve();
    state.answer = bodyOf(3);
    await clock.advance(6_000);
    const refreshed = source.poller.pollNext().then(() => source.refresh());
    await clock.settle();
    end();
    await clock.settle();
    await refreshed;
    expect([store.texts.map(stateIn), store.most]).toEqual([[1, 2, 3], 1]);
  });

  it('before close() resolves, also one that refresh() has begun', async () => {
    const { clock, source, store, state } = await saving();
    let end: () => void = () => undefined;
    store.way = () => new Promise<void>((resolve) => (end = resolve));
    state.answer = bodyOf(2);
    await clock.advance(6_000);
    await source.poller.pollNext();
    void source.refresh();
    await clock.settle();
    let isClosed = false;
    const closed = source.close().then(() => (isClosed = true));
    await clock.settle();
    expect(isClosed).toBe(false);
    end();
    await closed;
    expect(store.texts.map(stateIn)).toEqual([1, 2]);
  });

  it('when somebody has accepted that it is empty, and not before', async () => {
    const { clock, source, store, state } = await saving();
    state.answer = reply(200, bodyJson({}));
    await clock.advance(2 * POLL_MS);
    expect(store.texts.map(stateIn)).toEqual([1]);
    await source.poller.pollNext('reset');
    await clock.advance(5_000);
    expect(store.texts.at(-1)).toContain('"flags":[]');
  });

  it('again after a failure, with one warning for a row of them', async () => {
    const store = memory();
    store.way = () => Promise.reject(new Error('disk full'));
    const { clock, warnings, source } = await saving(store);
    await clock.advance(3 * POLL_MS);
    expect(warnings).toEqual([
      'the store could not load the snapshot: disk full; the provider goes on without it',
    ]);
    expect(source.store()).toMatchObject({ isFailing: true, savedAt: undefined });
    store.way = () => Promise.resolve();
    await clock.advance(POLL_MS);
    expect(warnings.slice(1)).toEqual(['the store works again: the snapshot is kept']);
    expect(source.store()).toMatchObject({ isFailing: false, savedAt: clock.date() });
    expect(store.texts.map(stateIn)).toEqual([1]);
  });

  it('again if somebody has deleted the file', async () => {
    const clock = manualClock();
    const files: string[] = [];
    const store = {
      name: 'the file',
      load: () => Promise.resolve({ text: undefined }),
      save: (text: string) => Promise.resolve(void files.push(text)),
      touch: () => (files.length === 0 ? Promise.reject(new Error('ENOENT')) : Promise.resolve()),
    };
    const saved = new SavedSnapshot(store, ORIGIN, () => undefined, clock);
    await saved.load(100);
    const body = Buffer.from(JSON.stringify(bodyJson({ 'state-1': true })));
    const snapshot = await parseSnapshot(body, 'default', clock);
    const confirm = async () => {
      saved.confirmed({ snapshot, etag: undefined, confirmedAt: clock.now() });
      await clock.advance(60_000);
    };
    await confirm();
    expect(files).toHaveLength(1);
    files.length = 0;
    await confirm();
    await confirm();
    expect(files).toHaveLength(1);
  });

  it('not over flags of a store that could not be read, if Flipt has none', async () => {
    const store = memory();
    store.way = () => Promise.reject(new Error('away'));
    const { clock, state } = await saving(store);
    state.answer = reply(200, bodyJson({}));
    const second = memory(store.texts);
    second.way = () => (second.texts.length > 0 ? Promise.resolve() : Promise.reject(new Error('away')));
    const { clock: later } = await opened(() => reply(200, bodyJson({})), { snapshot: { store: second } });
    second.way = () => Promise.resolve();
    await later.advance(3 * POLL_MS);
    await clock.advance(0);
    expect(second.texts).toEqual([]);
  });
});

describe('a start with a saved snapshot', () => {
  const before = async () => {
    const { source, store } = await saving();
    await source.close();
    return store.texts;
  };

  it('names its ETag, and needs no body if nothing has changed', async () => {
    const texts = await before();
    const { keys, named, changed } = await opened(
      ({ headers }) => (headers?.['if-none-match'] === 'etag-1' ? reply(304) : bodyOf(1)),
      { snapshot: { store: memory(texts) } },
    );
    expect([keys(), named(), changed()]).toEqual([['state-1'], ['etag-1'], []]);
  });

  it('has its flags, with their age, while Flipt is down, and reports what has changed later', async () => {
    const texts = await before();
    const state = { answer: refusedConnection as Outcome };
    const made = sourceOf(() => state.answer, { snapshot: { store: memory(texts) } });
    await made.clock.advance(3_600_000);
    void made.source.open();
    await made.clock.advance(0);
    expect(made.keys()).toEqual(['state-1']);
    expect(made.source.poller.ageMs(made.clock.now())).toBe(3_600_000);
    expect(made.source.poller.sureForMs(made.clock.now())).toBeLessThan(0);
    expect(made.conditions()).toEqual([]);
    state.answer = bodyOf(2);
    await made.clock.advance(POLL_MS);
    expect(made.changed()).toEqual([['state-1', 'state-2']]);
  });

  it('does not wait longer than 250 ms for a store, and uses what comes later if Flipt has given nothing', async () => {
    const texts = await before();
    const store = memory(texts);
    let come: () => void = () => undefined;
    store.way = () => new Promise<void>((resolve) => (come = resolve));
    const { clock, polls, keys } = await opened(() => refusedConnection, { snapshot: { store } });
    expect(polls).toHaveLength(0);
    await clock.advance(250);
    expect([polls.length, keys()]).toEqual([1, []]);
    come();
    await clock.settle();
    expect(keys()).toEqual(['state-1']);
  });

  it('does not go back to it if Flipt was faster', async () => {
    const store = memory(await before());
    let come: () => void = () => undefined;
    store.way = () => new Promise<void>((resolve) => (come = resolve));
    const { clock, keys } = await opened(() => bodyOf(2), { snapshot: { store } });
    await clock.advance(250);
    store.way = () => Promise.resolve();
    come();
    await clock.settle();
    expect(keys()).toEqual(['state-2']);
    await clock.advance(POLL_MS);
    expect(store.texts.map(stateIn).at(-1)).toBe(2);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ['of another format', (text) => text.replace('"format":2', '"format":1'), /it has format 1/],
    ['cut short', (text) => text.slice(0, -20), /ends too early/],
    ['of somebody else', () => '{"name":"app"}', /does not hold a snapshot/],
    [
      'of another Flipt',
      (text) => text.replace('flipt.test', 'flipt\\u001b.other'),
      /belongs to url "http:\/\/flipt\\u001b/,
    ],
    [
      'of another namespace',
      (text) => text.replace('{"key":"default"}', '{"key":"team"}'),
      /namespace "team"/,
    ],
    [
      'of another environment',
      (text) => text.replace('"etag"', '"environment":"prod","etag"'),
      /environment "prod"/,
    ],
  ])('does not use one that is %s, and says why', async (_what, edit, why) => {
    const [text = ''] = await before();
    const { keys, warnings } = await opened(() => refusedConnection, {
      snapshot: { store: memory([edit(text)]) },
    });
    expect([keys(), warnings]).toEqual([[], [expect.stringMatching(why)]]);
  });

  it('prefers an initial snapshot that is younger', async () => {
    const [text = ''] = await before();
    const initial = JSON.parse(text.replaceAll('state-1', 'state-9')) as object;
    const store = memory([text.replace('"confirmedAt":"2024', '"confirmedAt":"2023')]);
    const { keys } = await opened(() => refusedConnection, { snapshot: { store, initial } });
    expect(keys()).toEqual(['state-9']);
  });

  it('leaves half of the start for Flipt if the store hangs, also without polls', async () => {
    const store = memory();
    store.way = () => new Promise(() => undefined);
    const made = sourceOf(() => refusedConnection, { snapshot: { store }, watch: undefined });
    let isOpen = false;
    void made.source.open().then(() => (isOpen = true));
    await made.clock.advance(2_500);
    expect(isOpen).toBe(true);
    await made.source.close();
  });

  it('without polls waits for a slow store, and can start again if it was away', async () => {
    const store = memory(await before());
    store.way = () => Promise.reject(new Error('away'));
    const made = sourceOf(() => refusedConnection, { snapshot: { store }, watch: undefined });
    await made.source.open();
    expect(made.keys()).toEqual([]);
    store.way = () => Promise.resolve();
    await made.source.open();
    expect([made.keys(), made.polls]).toEqual([['state-1'], []]);
  });
});

it('the text is Flipt’s own body with some members in front', async () => {
  const { store } = await saving();
  expect(JSON.parse(store.texts[0] ?? '')).toEqual({
    format: 2,
    url: ORIGIN.url,
    etag: 'etag-1',
    confirmedAt: '2024-01-01T00:00:00.000Z',
    semantics: 'v1',
    namespace: { key: 'default' },
    flags: [{ key: 'state-1', type: 'BOOLEAN_FLAG_TYPE', enabled: true }],
  });
});
