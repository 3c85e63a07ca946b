import { expect, it, vi } from 'vitest';
import { InvalidBody } from '../../src/snapshot/body/invalid-body.js';
import { parseSnapshot } from '../../src/snapshot/body/parse-snapshot.js';
import { snapshotOf } from '../../src/snapshot/snapshot.js';
import { systemClock } from '../../src/base/time/clock.js';
import { hostileBody, NAMES, seeded } from './hostile-bodies.fixture.js';

const BODIES = 500;
const MB = 1024 * 1024;
/** For one body of bytes: bench/hostile.ts measures the time and the memory that these turns take. */
const LONGEST_SCAN = 600_000;

/** What happened to a body, and in how many turns. */
async function outcomeOf(body: Buffer) {
  let turns = 0;
  const clock = {
    ...systemClock,
    endOfTurn: (run: () => void) => {
      turns++;
      run();
    },
  };
  try {
    const snapshot = await snapshotOf(await parseSnapshot(body, 'default', clock), clock);
    return { turns, flags: snapshot.contents.size };
  } catch (error) {
    if (!(error instanceof InvalidBody)) throw error;
    return { turns, refused: error.message };
  }
}

it(`${BODIES} hostile bodies are read or refused with a reason, in turns that have an end`, async () => {
  const random = seeded(1);
  for (let n = 0; n < BODIES; n++) {
    const name = NAMES[n % NAMES.length] ?? '';
    const bytes = Math.floor(10 ** (1 + random() * 4));
    const body = hostileBody(name, bytes, random);
    const { turns, refused, flags } = await outcomeOf(body);
    expect(refused ?? flags, name).not.toBe('');
    if (refused === undefined)
      expect(turns, name).toBeGreaterThanOrEqual(Math.floor(body.length / LONGEST_SCAN));
  }
});

it.each<[string, number, RegExp]>([
  ['flags 0', 66 * MB, /^flags\[0\]: expected an object, got a number$/],
  ['flags {}', 16 * MB, /^flags\[0\]\.key: missing$|too many flags and values/],
  ['one junk flag after good ones', MB, /^flags\[2\]: expected an object, got a list$/],
  ['variant flags', 4 * MB, /^the body has too many flags and values for its size$/],
  ['rules', MB, /^flags\[0\]: more than 200000 values$/],
  ['distributions', MB, /^flags\[0\]: more than 200000 values$/],
  ['members of a flag', 0.5 * MB, /^flags\[0\]: more than 10000 members$/],
  ['levels of lists', 8 * MB, /^flags\[0\]: more than 32 levels of lists and objects$/],
  ['levels instead of a body', 8 * MB, /^not JSON: no \{ at byte 0$/],
  ['a long text', 9 * MB, /^flags\[0\]: a text of more than 8388608 bytes$/],
  ['members beside the flags', 2 * MB, /^more than 1048576 bytes beside the flags$/],
  ['members after the flags', 2 * MB, /^more than 1048576 bytes beside the flags$/],
  ['a long name beside the flags', 2 * MB, /^more than 1048576 bytes beside the flags$/],
  ['white space', 2 * MB, /^more than 1048576 bytes beside the flags$/],
])('%s, %i bytes: refused at the first place that shows it', async (name, bytes, message) => {
  const { refused } = await outcomeOf(hostileBody(name, bytes, () => 1));
  expect(refused).toMatch(message);
});

it.each([
  ['a list', `["${'x'.repeat(MB)}"]`],
  ['a string', `"${'x'.repeat(MB)}"`],
  ['a number', '1'.repeat(MB)],
])('a flag that is %s is refused without parsing it', async (kind, flag) => {
  const parse = vi.spyOn(JSON, 'parse');
  const { refused } = await outcomeOf(Buffer.from(`{"flags":[${flag}]}`));
  expect(refused).toBe(`flags[0]: expected an object, got ${kind}`);
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(1_000);
  parse.mockRestore();
});

it('a list of more than 100,000 members sets its flag aside, and no other', async () => {
  const value = `[${Array.from({ length: 100_001 }, () => '"a"').join()}]`;
  const constraints = [{ type: 'STRING_CONSTRAINT_COMPARISON_TYPE', operator: 'isoneof', value }];
  const flags = [{ key: 'a', rules: [{ segments: [{ key: 's', constraints }] }] }, { key: 'b' }];
  const { features } = await parseSnapshot(Buffer.from(JSON.stringify({ flags })), 'default', systemClock);
  expect([...features.unreadable].map(([key, { reason }]) => [key, reason])).toEqual([
    [
      'a',
      'rules[0].segments[0].constraints[0].value: expected a list of at most 100000 members, got a string',
    ],
  ]);
  expect([...features.flags.keys()]).toEqual(['b']);
});
