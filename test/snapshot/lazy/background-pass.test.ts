import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { Reply, Send } from '../../../src/http/reply.js';
import { openSnapshotSource } from '../../../src/snapshot/snapshot-source.js';
import type { Snapshot } from '../../../src/snapshot/snapshot.js';
import { readKept } from '../../../src/snapshot/kept-text.js';
import { systemClock, type Clock } from '../../../src/base/time/clock.js';
import { manualClock } from '../../clock.fixture.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { flagJson, reply } from '../fetched.fixture.js';
import { ORIGIN } from '../origin.fixture.js';
import { POLL_MS } from '../watch/watched.fixture.js';

const NAMES = Array.from({ length: 300 }, (_, at) => `flag-${at}`);
/** So long that the pass takes many turns. */
const described = (flag: object) => ({ ...flag, description: 'x'.repeat(2_000) });
const service = (etag: string, off: readonly string[], unreadable: readonly string[]) =>
  reply(
    200,
    {
      namespace: { key: 'default' },
      flags: NAMES.map((key) =>
        described(
          unreadable.includes(key) ? { key, type: 'LIST_FLAG_TYPE' } : flagJson(key, !off.includes(key)),
        ),
      ),
    },
    { etag },
  );
const isRead = ({ flags }: Snapshot) => flags.unreadText('flag-299') === undefined;
const FIRST = service('one', [], ['flag-7', 'flag-250']);

function deferred<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((done) => (resolve = done));
  return { promise, resolve };
}

/** Snapshots whose background work stands still until the test lets it go on. */
async function opened(
  first: Reply | Promise<Reply>,
  texts?: string[],
  date?: number,
  loaded?: Promise<undefined>,
) {
  const manual = manualClock(date);
  const held: (() => void)[] = [];
  const clock: Clock = {
    ...manual,
    endOfTurn(run, background) {
      if (background) held.push(run);
      else manual.endOfTurn(run);
    },
  };
  const it = { answer: first };
  const send: Send = (request) =>
    Promise.resolve(request.path.includes('snapshot') ? it.answer : reply(404, { code: 5, message: '' }));
  const store = texts && {
    async load() {
      await loaded;
      return texts.at(-1);
    },
    save: (text: string) => {
      texts.push(text);
      return Promise.resolve();
    },
  };
  const diagnostics = openDiagnostics();
  const events: unknown[] = [];
  diagnostics.listen('flags-unreadable', ({ flags }) => events.push({ unreadable: [...flags.keys()] }));
  diagnostics.listen('flags-changed', ({ flags }) => events.push({ changed: flags }));
  const settings = {
    ...ORIGIN,
    http: { timeoutMs: 500 },
    watch: { pollMs: POLL_MS, maxAgeMs: 600_000, stream: false },
    snapshot: { ...(store && { store }) },
    evaluation: 'in-process' as const,
    initTimeoutMs: 5_000,
  };
  const life = { warn: (message: string) => events.push({ message }), closing: new AbortController().signal };
  const opening = openSnapshotSource(send, settings, life, runtimeOf(clock, diagnostics));
  // No longer does the start wait for a store.
  await (loaded ? manual.advance(1_000) : manual.settle());
  const snapshots = await opening;
  await manual.settle();
  const goOn = async () => {
    for (let run = held.shift(); run !== undefined; run = held.shift()) {
      run();
      await manual.settle();
    }
  };
  const inForce = () => {
    const snapshot = snapshots.watch.snapshot();
    if (snapshot === undefined) throw new Error('there is no snapshot');
    return snapshot;
  };
  return { it, manual, snapshots, inForce, goOn, events, texts, held };
}

describe('flags that nobody has asked for', () => {
  it('are read in the background, and those that cannot be read are reported then, once', async () => {
    const { it, inForce, goOn, events, manual } = await opened(FIRST);
    expect(isRead(inForce())).toBe(false);
    expect(events).toEqual([]);
    await goOn();
    expect(isRead(inForce())).toBe(true);
    expect(events).toEqual([{ unreadable: ['flag-7', 'flag-250'] }]);

    it.answer = reply(304);
    await manual.advance(POLL_MS);
    await goOn();
    expect(events).toHaveLength(1);
  });

  it('are compared with a change that arrives before they have been read', async () => {
    const { it, goOn, events, manual } = await opened(FIRST);
    it.answer = service('two', ['flag-3', 'flag-299'], ['flag-7', 'flag-9']);
    await manual.advance(POLL_MS);
    const changed = { changed: ['flag-250', 'flag-299', 'flag-3', 'flag-9'] };
    expect(events).toEqual([changed]);
    await goOn();
    expect(events).toEqual([changed, { unreadable: ['flag-7', 'flag-9'] }]);
  });

  it('are in what getSnapshot gives', async () => {
    const { snapshots, goOn, events } = await opened(FIRST);
    expect(snapshots.body()).toMatchObject({ flags: { length: NAMES.length } });
    await goOn();
    expect(events).toHaveLength(1);
  });

  it('are left when the snapshots are closed', async () => {
    const { snapshots, inForce, goOn, events, held } = await opened(FIRST);
    await snapshots.close();
    await goOn();
    expect(held).toEqual([]);
    expect(isRead(inForce())).toBe(false);
    expect(events).toEqual([]);
  });
});

describe('a kept snapshot', () => {
  it('is written with what evaluation reads, when there is time to read all flags', async () => {
    const texts: string[] = [];
    const { manual } = await opened(FIRST, texts);
    await manual.advance(1);
    // One promise a flag.
    for (let flag = 0; flag < NAMES.length; flag++) await manual.settle();
    expect(texts).toHaveLength(1);
    // The descriptions of 298 flags are gone.
    expect(texts[0]?.length).toBeLessThan(60_000);
  });

  it('that is loaded after the first poll was sent is compared with its answer by all flags', async () => {
    const texts: string[] = [];
    const { snapshots, manual } = await opened(FIRST, texts);
    await Promise.all([snapshots.close(), manual.settle()]);
    const [load, answer] = [deferred<undefined>(), deferred<Reply>()];
    const late = await opened(answer.promise, texts, undefined, load.promise);
    load.resolve(undefined);
    await late.manual.settle();
    expect(isRead(late.inForce())).toBe(false);
    answer.resolve(service('two', ['flag-3', 'flag-299'], ['flag-7', 'flag-250']));
    await late.manual.settle();
    expect(late.events).toContainEqual({ changed: ['flag-299', 'flag-3'] });
  });

  it('has all flags, also if it is closed before they have been read, in one process after another', async () => {
    const texts: string[] = [];
    for (const [minute, answer] of [FIRST, reply(304)].entries()) {
      const { snapshots, manual, inForce } = await opened(answer, texts, Date.UTC(2024, 0, 1, 0, minute));
      expect(isRead(inForce())).toBe(false);
      const closing = snapshots.close();
      await manual.settle();
      await closing;
      expect(isRead(inForce())).toBe(false);

      const read = await readKept(texts.at(-1) ?? '', ORIGIN, systemClock);
      if ('wrong' in read) throw new Error(read.wrong);
      expect(read).toMatchObject({ etag: 'one', snapshot: { semantics: 'v1' } });
      expect([...read.snapshot.flags.keys().keys()]).toEqual(NAMES);
      expect([...read.snapshot.flags.whole().unreadable.keys()]).toEqual(['flag-7', 'flag-250']);
    }
    expect(texts).toHaveLength(2);
  });

  it('is never used when it was cut or changed anywhere', async () => {
    const texts: string[] = [];
    const { snapshots, manual } = await opened(FIRST, texts);
    const closing = snapshots.close();
    await manual.settle();
    await closing;
    const [text = ''] = texts;
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 2), fc.boolean(), async (at, isCut) => {
        const other = text[at] === 'x' ? 'y' : 'x';
        const damaged = text.slice(0, at) + (isCut ? '' : other + text.slice(at + 1));
        const reading = readKept(damaged, ORIGIN, systemClock);
        expect(await reading).toHaveProperty('wrong');
      }),
      {
        numRuns: 300,
        examples: [
          [text.length - 2, true],
          [text.length - 2, false],
        ],
      },
    );
  });
});
