import { expect, it, vi } from 'vitest';
import { InvalidBody } from '../../src/snapshot/body/invalid-body.js';
import { parseSnapshot } from '../../src/snapshot/body/parse-snapshot.js';
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
    const { flags } = await parseSnapshot(body, 'default', clock);
    const { unreadable } = flags.whole();
    return { turns, flags: flags.keys().size, unreadable };
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
  ['flags {}', 16 * MB, /^flags\[0\]\.key: missing$/],
  ['one junk flag after good ones', MB, /^flags\[2\]: expected an object, got a list$/],
  ['variant flags', 4 * MB, /^more than 200000 flags$/],
  ['levels of lists', 8 * MB, /^not JSON: the body ends too early$/],
  ['levels instead of a body', 8 * MB, /^not JSON: no \{ at byte 0$/],
  ['a long key', 2 * MB, /^flags\[0\]: a flag that does not begin with its key: more than 1048576 bytes$/],
  ['members beside the flags', 2 * MB, /^what is beside the flags: more than 1048576 bytes$/],
  ['a namespace', 0.9 * MB, /^what is beside the flags: more than 50000 values$/],
  ['members after the flags', 2 * MB, /^what is beside the flags: more than 1048576 bytes$/],
  ['a long name beside the flags', 2 * MB, /^what is beside the flags: more than 1048576 bytes$/],
  ['white space', 2 * MB, /^white space: more than 1048576 bytes$/],
])('%s, %i bytes: refused at the first place that shows it', async (name, bytes, message) => {
  const { refused } = await outcomeOf(hostileBody(name, bytes, () => 1));
  expect(refused).toMatch(message);
});

it.each(['rules', 'distributions', 'members of a flag', 'a long text'])(
  'a flag of more than 1 MB of %s is unreadable, and its text is never parsed',
  async (name) => {
    const parse = vi.spyOn(JSON, 'parse');
    const body = hostileBody(name, 2 * MB, () => 1).toString();
    const { unreadable } = await outcomeOf(Buffer.from(body.replace('[', '[{"key":"other"},')));
    expect([...(unreadable ?? [])]).toMatchObject([['a', { reason: 'more than 1048576 bytes' }]]);
    expect(Math.max(...parse.mock.calls.map(([parsed]) => parsed.length))).toBeLessThan(1_000);
    parse.mockRestore();
  },
);

it.each(['rules', 'distributions', 'segments', 'members of rules', 'segments of an unreadable flag'])(
  'a flag of less than 1 MB with very many %s is unreadable, and its text is never parsed',
  async (name) => {
    const parse = vi.spyOn(JSON, 'parse');
    const body = hostileBody(name, 0.9 * MB, () => 1).toString();
    const { unreadable } = await outcomeOf(Buffer.from(body.replace('[', '[{"key":"other"},')));
    expect([...(unreadable ?? [])]).toMatchObject([['a', { reason: 'more than 50000 values' }]]);
    expect(Math.max(...parse.mock.calls.map(([parsed]) => parsed.length))).toBeLessThan(1_000);
    parse.mockRestore();
  },
);

it('a flag that does not begin with its key has no more values than others', async () => {
  const flag = (values: number) => `{"x":[${'0,'.repeat(values)}0],"key":"a"}`;
  const outcome = (values: number) => outcomeOf(Buffer.from(`{"flags":[${flag(values)}]}`));
  expect(await outcome(40_000)).toMatchObject({ flags: 1 });
  expect((await outcome(60_000)).refused).toBe(
    'flags[0]: a flag that does not begin with its key: more than 50000 values',
  );
});

it('very many short flags are cut in many turns', async () => {
  const flags = Array.from({ length: 20_000 }, (_, at) => `{"key":"${at}"}`);
  const { turns } = await outcomeOf(Buffer.from(`{"flags":[${flags.join()}]}`));
  expect(turns).toBeGreaterThan(15);
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
