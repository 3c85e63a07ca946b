import { describe, expect, it } from 'vitest';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { DiagnosticEvent } from '../../../src/model/events/internal-events.js';
import { logSnapshots } from '../../../src/provider/log.js';
import type { Failure } from '../../../src/model/failure.js';

const NOT_OFFERED: DiagnosticEvent = {
  type: 'watch-changed',
  state: 'not-offered',
  failure: { kind: 'not-found', message: 'it answered 404' },
};
const WORKING: DiagnosticEvent = { type: 'watch-changed', state: 'working', failure: undefined };
const DOWN: Failure = { kind: 'connection', message: 'refused' };
const polled = (failure?: Failure): DiagnosticEvent => ({ type: 'snapshot-polled', durationMs: 1, failure });
const UNREADABLE: Failure = { kind: 'unreadable', message: 'flags: missing' };

/** The lines at error, warning and info level. */
function linesFor(...events: readonly DiagnosticEvent[]): readonly string[] {
  return linesOf('remote', events);
}

function linesOf(
  evaluation: 'remote' | 'in-process',
  events: readonly DiagnosticEvent[],
  isWatched = true,
  snapshot: Parameters<typeof logSnapshots>[1]['snapshot'] = {},
): readonly string[] {
  const lines: string[] = [];
  const log = (level: string) => (message: string) => lines.push(`${level}: ${message}`);
  const diagnostics = openDiagnostics();
  const logger = { error: log('error'), warn: log('warn'), info: log('info'), debug: () => undefined };
  const watch = isWatched ? { pollMs: 15_000, stream: false, maxAgeMs: 600_000 } : undefined;
  const place: Parameters<typeof logSnapshots>[1] = {
    namespace: 'shop',
    environment: 'staging',
    evaluation,
    watch,
    snapshot,
    logger,
  };
  logSnapshots(diagnostics.listen, place, () => Infinity);
  for (const event of events) diagnostics.report(event);
  return lines;
}

describe('the log of the watch', () => {
  it('has nothing about polls that succeed or fail now and then', () => {
    expect(linesFor(WORKING, polled(), polled(DOWN), polled())).toEqual([]);
  });

  it('has one line at info level if there are no snapshots, even if a page comes instead', () => {
    expect(linesFor(NOT_OFFERED, polled(UNREADABLE), polled(DOWN))).toEqual([
      'info: Flipt offers no snapshots; cached answers expire by their age: it answered 404',
    ]);
  });

  it('does not say that Flipt offers no snapshots if Flipt only does not know the namespace', () => {
    const failure = { ...DOWN, message: 'it answered 404' };
    expect(
      linesFor(
        { type: 'namespace-suspect', failure },
        { type: 'watch-changed', state: 'not-offered', failure },
      ).slice(1),
    ).toEqual([
      'info: There is no snapshot until Flipt knows the namespace; cached answers expire by their age: it answered 404',
    ]);
  });

  it('warns once of each new set of unreadable flags, and says when all can be read', () => {
    const unreadable = (...keys: readonly string[]): DiagnosticEvent => {
      const flags = new Map(keys.map((key) => [key, { reason: 'type: new', text: '' }]));
      return { type: 'flags-unreadable', flags };
    };
    const events = [unreadable('a'), unreadable(), unreadable('a'), unreadable('a', 'b')];
    const start = 'warn: This version of openfeature-flipt-provider cannot read these flags:';
    const end = 'and all others work. The reason for the first one: type: new';
    expect(linesFor(...events)).toEqual([
      `${start} "a"; their cached answers expire by their age, ${end}`,
      'info: The provider can read all flags again',
      `${start} "a", "b"; their cached answers expire by their age, ${end}`,
    ]);
    expect(linesOf('in-process', [unreadable('a')])).toEqual([
      `${start} "a"; the provider asks Flipt for them, ${end}`,
    ]);
    expect(linesOf('in-process', [unreadable('a')], false)).toEqual([
      `${start} "a"; calls get their defaults, ${end}`,
    ]);
    expect(linesFor(unreadable('k'.repeat(100_000)))[0]?.length).toBeLessThan(1_000);
  });

  it('warns once of a snapshot that cannot be read, with the place', () => {
    expect(linesFor(WORKING, polled(UNREADABLE), polled(UNREADABLE), polled(), polled(UNREADABLE))).toEqual([
      'warn: The provider could not fetch the snapshot: flags: missing',
      'warn: The provider could not fetch the snapshot: flags: missing',
    ]);
  });

  it('names the flags that have changed, 20 at most', () => {
    const flags = Array.from({ length: 22 }, (_, at) => `flag-${at}`);
    const [few, many] = linesFor(
      { type: 'flags-changed', flags: ['a', 'b'] },
      { type: 'flags-changed', flags },
    );
    expect(few).toBe('info: Flags have changed: "a", "b"');
    expect(many).toMatch(/"flag-19" and 2 more$/);
  });

  it('warns once of a namespace that seems to be wrong', () => {
    const empty: DiagnosticEvent = { type: 'namespace-suspect', failure: undefined };
    const unknown: DiagnosticEvent = {
      type: 'namespace-suspect',
      failure: { ...DOWN, message: 'it answered 404' },
    };
    expect(linesFor(empty, empty)).toEqual([
      `warn: Flipt has no flags in the namespace "shop" of the environment "staging": check the options namespace and environment; if they are right, Flipt has not loaded its flags: look into Flipt's log, and lint the features file`,
    ]);
    expect(linesFor(unknown)).toEqual([
      `warn: Flipt does not know the namespace "shop" of the environment "staging" (check the options namespace and environment; if they are right, Flipt has not loaded its flags: look into Flipt's log, and lint the features file): it answered 404`,
    ]);
  });

  it('warns once of several flags of one key', () => {
    const repeated: DiagnosticEvent = { type: 'flags-repeated', flags: ['banner', 'beta'] };
    expect(linesFor(repeated, repeated)).toEqual([
      'warn: Flipt has several flags of one key in the namespace "shop": "banner", "beta"; Flipt and the provider use the last flag of each key: remove the others',
    ]);
  });

  it('warns of a key that is almost the key of a flag', () => {
    expect(linesFor({ type: 'flag-key-suspect', flag: 'baner', like: 'banner' })).toEqual([
      'warn: There is no flag "baner" in the namespace "shop"; is it "banner"?',
    ]);
  });

  it.each([
    [{ file: 'flags.json' }, 'snapshot.file'],
    [{ store: { load: async () => undefined, save: async () => undefined } }, 'snapshot.store'],
  ])('warns that there is nothing to keep if snapshots are not offered: %j', (snapshot, option) => {
    expect(linesOf('remote', [NOT_OFFERED], true, snapshot)).toEqual([
      `warn: Flipt offers no snapshots; cached answers expire by their age; ${option} has no effect: it answered 404`,
    ]);
  });

  it('has one warning if there is no stream, and a line when there is one after all', () => {
    expect(
      linesFor(
        { type: 'stream-changed', state: 'open', why: 'an event came' },
        { type: 'stream-changed', state: 'broken', why: 'reset' },
        { type: 'stream-changed', state: 'not-offered', why: '404 with an empty body' },
        { type: 'stream-changed', state: 'open', why: 'an event came' },
        { type: 'stream-changed', state: 'broken', why: 'reset' },
        { type: 'stream-changed', state: 'not-offered', why: '404 with an empty body' },
      ),
    ).toEqual([
      'warn: watch.stream has no effect, because the provider gets no stream of changes from Flipt and finds changes only by polls. Flipt has a stream ' +
        'since 2.9, and a proxy in between must pass the stream on at once, without buffering it: 404 with an empty body',
      'info: The stream of changes is open: an event came',
      'warn: watch.stream has no effect, because the provider gets no stream of changes from Flipt and finds changes only by polls. Flipt has a stream ' +
        'since 2.9, and a proxy in between must pass the stream on at once, without buffering it: 404 with an empty body',
    ]);
  });
});
