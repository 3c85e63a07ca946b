import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.js';
import { Reports, type ReportsSettings } from '../../src/snapshot/reports.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { POLL_MS, opened, serving, sourceOf } from './source.fixture.js';
import { reply } from './fetched.fixture.js';

const NOT_THERE: Failure = { kind: 'not-found', message: 'it answered 404' };
const DOWN: Failure = { kind: 'connection', message: 'refused' };
const UNREADABLE: Failure = { kind: 'unreadable', message: 'flags: missing' };

/** The lines at warning and info level. */
function linesFor(report: (reports: Reports) => void, more: Partial<ReportsSettings> = {}) {
  const lines: string[] = [];
  const log = (level: string) => (message: string) => lines.push(`${level}: ${message}`);
  const settings = {
    namespace: 'shop',
    environment: 'staging',
    evaluation: 'remote',
    watch: {},
    snapshot: {},
    logger: { error: log('error'), warn: log('warn'), info: log('info'), debug: () => undefined },
    ...more,
  } as const;
  report(
    new Reports(
      settings,
      () => Infinity,
      runtimeOf(manualClock()),
      () => undefined,
    ),
  );
  return lines;
}

const polls =
  (...failures: readonly (Failure | undefined)[]) =>
  (reports: Reports) => {
    for (const failure of failures) reports.polled(1, failure, false);
  };

describe('the log of the watch', () => {
  it('has nothing about polls that succeed or fail now and then', () => {
    expect(
      linesFor((reports) => {
        reports.condition('working', undefined);
        polls(undefined, DOWN, undefined)(reports);
      }),
    ).toEqual([]);
  });

  it('has one line at info level if there are no snapshots, even if a page comes instead', () => {
    expect(
      linesFor((reports) => {
        reports.condition('not-offered', NOT_THERE);
        for (const failure of [UNREADABLE, DOWN]) reports.polled(1, failure, true);
      }),
    ).toEqual(['info: Flipt offers no snapshots; cached answers expire by their age: it answered 404']);
  });

  it('does not say that Flipt offers no snapshots if Flipt only does not know the namespace', () => {
    expect(
      linesFor((reports) => {
        reports.suspectNamespace(NOT_THERE);
        reports.condition('not-offered', NOT_THERE);
      }).slice(1),
    ).toEqual([
      'info: There is no snapshot until Flipt knows the namespace; cached answers expire by their age: it answered 404',
    ]);
  });

  it.each([
    [{ file: 'flags.json' }, 'snapshot.file'],
    [{ store: { load: async () => undefined, save: async () => undefined } }, 'snapshot.store'],
  ])('warns that there is nothing to keep if snapshots are not offered: %j', (snapshot, option) => {
    const lines = linesFor(
      (reports) => {
        reports.condition('not-offered', NOT_THERE);
      },
      { snapshot },
    );
    expect(lines).toEqual([
      `warn: Flipt offers no snapshots; cached answers expire by their age; ${option} has no effect: it answered 404`,
    ]);
  });

  it('warns once of a snapshot that cannot be read, with the place', () => {
    expect(linesFor(polls(UNREADABLE, UNREADABLE, undefined, UNREADABLE))).toEqual([
      'warn: The provider could not fetch the snapshot: flags: missing',
      'warn: The provider could not fetch the snapshot: flags: missing',
    ]);
  });

  it('warns once of a namespace that seems to be wrong', () => {
    const check =
      "check the options namespace and environment; if they are right, Flipt has not loaded its flags: look into Flipt's log, and lint the features file";
    expect(
      linesFor((reports) => {
        reports.suspectNamespace();
        reports.suspectNamespace();
      }),
    ).toEqual([`warn: Flipt has no flags in the namespace "shop" of the environment "staging": ${check}`]);
    expect(
      linesFor((reports) => {
        reports.suspectNamespace(NOT_THERE);
      }),
    ).toEqual([
      `warn: Flipt does not know the namespace "shop" of the environment "staging" (${check}): it answered 404`,
    ]);
  });

  it('warns of a key that is almost the key of a flag', () => {
    expect(
      linesFor((reports) => {
        reports.misspelt('baner', 'banner');
      }),
    ).toEqual(['warn: There is no flag "baner" in the namespace "shop"; is it "banner"?']);
  });

  it('has one warning if there is no stream, and a line when there is one after all', () => {
    const once = [
      ['open', 'an event came'],
      ['broken', 'reset'],
      ['not-offered', '404 with an empty body'],
    ] as const;
    const missed =
      'warn: watch.stream has no effect, because the provider gets no stream of changes from Flipt and finds changes only by polls. Flipt has a stream ' +
      'since 2.9, and a proxy in between must pass the stream on at once, without buffering it: 404 with an empty body';
    expect(
      linesFor((reports) => {
        for (const [state, why] of [...once, ...once]) reports.stream(state, why);
      }),
    ).toEqual([missed, 'info: The stream of changes is open: an event came', missed]);
  });
});

describe('the log of the flags', () => {
  it.each([
    ['remote', true, 'their cached answers expire by their age'],
    ['in-process', true, 'the provider asks Flipt for them'],
    ['in-process', false, 'calls get their defaults'],
  ] as const)(
    'warns once of each new set of unreadable flags: %s, watched: %s',
    async (evaluation, isWatched, words) => {
      let types: Readonly<Record<string, string>> = {
        ok: 'BOOLEAN_FLAG_TYPE',
        a: 'NEW_TYPE',
        ['k'.repeat(100_000)]: 'NEW_TYPE',
      };
      const flags = () => ({ flags: Object.entries(types).map(([key, type]) => ({ key, type })) });
      const more = isWatched
        ? {}
        : { watch: undefined, snapshot: { initial: { ...flags(), digest: 'a'.repeat(40) } } };
      const { clock, source, lines } = sourceOf(() => reply(200, flags()), { evaluation, ...more });
      await source.open();
      await clock.advance(100);
      const warned = () => lines.filter((line) => line.includes('cannot read these flags'));
      expect(warned()).toHaveLength(1);
      expect(warned()[0]).toContain(words);
      expect(warned()[0]).toMatch(/^warn: .*: "a", .*, and all others work\. The reason for the first one: /);
      expect(warned()[0]?.length).toBeLessThan(1_000);
      if (!isWatched) return;
      types = { a: 'BOOLEAN_FLAG_TYPE' };
      await clock.advance(2 * POLL_MS);
      expect(lines).toContain('info: The provider can read all flags again');
    },
  );

  it('names the flags that have changed, 20 at most', async () => {
    let enabled = false;
    const flags = Array.from({ length: 22 }, (_, at) => `flag-${at + 10}`);
    const { clock, lines } = await opened(
      serving(() => ({ flags: flags.map((key) => ({ key, type: 'BOOLEAN_FLAG_TYPE', enabled })) })),
    );
    enabled = true;
    await clock.advance(2 * POLL_MS);
    expect(lines).toContainEqual(
      expect.stringMatching(/^info: Flags have changed: "flag-10", .*"flag-29" and 2 more$/),
    );
  });

  it('warns once of several flags of one key', async () => {
    let count = 2;
    const { clock, lines } = await opened(() =>
      reply(200, {
        flags: Array.from({ length: count }, () => ({ key: 'banner', type: 'BOOLEAN_FLAG_TYPE' })),
      }),
    );
    count = 3;
    await clock.advance(2 * POLL_MS);
    expect(lines.filter((line) => line.includes('several flags'))).toEqual([
      'warn: Flipt has several flags of one key in the namespace "default": "banner"; Flipt and the provider use the last flag of each key: remove the others',
    ]);
  });
});
