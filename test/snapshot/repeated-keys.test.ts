import { describe, expect, it } from 'vitest';
import { openDiagnostics } from '../../src/model/events/reporter.js';
import { parseSnapshot } from '../../src/snapshot/body/parse-snapshot.js';
import { bodyText } from '../../src/snapshot/body/write-body.js';
import { changes, snapshotOf, type Snapshot } from '../../src/snapshot/snapshot.js';
import { openWatch } from '../../src/snapshot/watch/poll-watch.js';
import { evaluate } from '../../src/engine/compile.js';
import { systemClock } from '../../src/base/time/clock.js';
import { manualClock } from '../clock.fixture.js';
import { runtimeOf } from '../runtime.fixture.js';
import { fetching, flagJson, reply } from './fetched.fixture.js';
import { POLL_MS } from './watch/watched.fixture.js';

/**
 * Two files of Flipt's storage may name the same flag. Flipt's evaluation then keeps the last one, and the snapshot of
 * v2 has both.
 */
const bodyOf = (...flags: readonly (readonly [key: string, enabled: boolean])[]) => ({
  flags: flags.map(([key, enabled]) => flagJson(key, enabled)),
});
const TWICE = bodyOf(['a', true], ['b', true], ['a', false], ['c', false], ['c', true]);

async function read(body: object, previous?: Snapshot): Promise<Snapshot> {
  const bytes = Buffer.from(JSON.stringify(body));
  const snapshot = await snapshotOf(await parseSnapshot(bytes, 'default', systemClock), systemClock);
  if (previous !== undefined) await changes(previous, snapshot, systemClock);
  return snapshot;
}
const answersOf = ({ compiled }: Snapshot) =>
  ['a', 'b', 'c'].map((flag) =>
    evaluate(compiled, { namespace: 'default', flag, entity: 'ann', attributes: {} }),
  );
const on = { enabled: true };
const off = { enabled: false };

describe('of several flags of one key', () => {
  it('the last counts, as in Flipt', async () => {
    const snapshot = await read(TWICE);
    expect(answersOf(snapshot)).toMatchObject([off, on, on]);
    expect([...snapshot.flags.keys().keys()]).toEqual(['a', 'b', 'c']);
    expect([...snapshot.flags.repeated]).toEqual(['a', 'c']);
  });

  it('the last counts beside a previous snapshot, whichever of them that had', async () => {
    const bodies = [TWICE, bodyOf(['a', true], ['b', true]), bodyOf(['c', false], ['a', false]), TWICE];
    let previous: Snapshot | undefined;
    for (const body of bodies) {
      const [beside, alone] = [await read(body, previous), await read(body)];
      expect(answersOf(beside)).toEqual(answersOf(alone));
      previous = beside;
    }
  });

  it('only the last is written', async () => {
    const text = await bodyText('default', await read(TWICE), systemClock);
    expect(answersOf(await read(JSON.parse(text) as object))).toMatchObject([off, on, on]);
    expect(JSON.parse(text)).toHaveProperty('flags.length', 3);
  });

  it('an unreadable one that is not the last does not count', async () => {
    const { flags } = bodyOf(['b', true], ['a', true]);
    const snapshot = await read({ flags: [{ key: 'a', type: 'LIST_FLAG_TYPE' }, ...flags] });
    expect(snapshot.flags.unreadable('a')).toBeUndefined();
    expect(answersOf(snapshot)).toMatchObject([on, on, { kind: 'missing' }]);
  });
});

it('they are reported with each snapshot that has them', async () => {
  const clock = manualClock();
  const diagnostics = openDiagnostics();
  const reported: unknown[] = [];
  diagnostics.listen('flags-repeated', ({ flags }) => reported.push(flags));
  const answers = [reply(200, TWICE, { etag: 'one' }), reply(304), reply(200, TWICE, { etag: 'two' })];
  const { fetch } = fetching(() => Promise.resolve(answers.shift() ?? reply(304)), clock);
  const watch = openWatch({ fetch, pollMs: POLL_MS, patienceMs: 1 }, runtimeOf(clock, diagnostics));
  await clock.advance(3 * POLL_MS);
  watch.close();
  expect(reported).toEqual([
    ['a', 'c'],
    ['a', 'c'],
  ]);
});
