import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/engine/compile.js';
import type { Snapshot } from '../../src/snapshot/snapshot.js';
import { parsedJson } from './bodies.fixture.js';
import { flagJson, reply } from './fetched.fixture.js';
import { opened, POLL_MS } from './source.fixture.js';

/**
 * Two files of Flipt's storage may name the same flag. Flipt's evaluation then keeps the last one, and the snapshot of
 * v2 has both.
 */
const bodyOf = (...flags: readonly (readonly [key: string, enabled: boolean])[]) => ({
  flags: flags.map(([key, enabled]) => flagJson(key, enabled)),
});
const TWICE = bodyOf(['a', true], ['b', true], ['a', false], ['c', false], ['c', true]);

const answersOf = ({ compiled }: Snapshot) =>
  ['a', 'b', 'c'].map((flag) =>
    evaluate(compiled, { namespace: 'default', flag, entity: 'ann', attributes: {} }),
  );
const on = { enabled: true };
const off = { enabled: false };

describe('of several flags of one key', () => {
  it('the last counts, as in Flipt', async () => {
    const snapshot = await parsedJson(TWICE);
    expect(answersOf(snapshot)).toMatchObject([off, on, on]);
    expect([...snapshot.flags.keys().keys()]).toEqual(['a', 'b', 'c']);
    expect([...snapshot.flags.repeated]).toEqual(['a', 'c']);
  });

  it('an unreadable one that is not the last does not count', async () => {
    const { flags } = bodyOf(['b', true], ['a', true]);
    const snapshot = await parsedJson({ flags: [{ key: 'a', type: 'LIST_FLAG_TYPE' }, ...flags] });
    expect(snapshot.flags.unreadable('a')).toBeUndefined();
    expect(answersOf(snapshot)).toMatchObject([on, on, { kind: 'missing' }]);
  });
});

it('they are reported with each snapshot that has them', async () => {
  const answers = [reply(200, TWICE, { etag: 'one' }), reply(304), reply(200, TWICE, { etag: 'two' })];
  const { clock, events, source } = await opened(() => answers.shift() ?? reply(304));
  await clock.advance(3 * POLL_MS);
  await source.close();
  expect(events('flags-repeated').map(({ flags }) => flags)).toEqual([
    ['a', 'c'],
    ['a', 'c'],
  ]);
});
