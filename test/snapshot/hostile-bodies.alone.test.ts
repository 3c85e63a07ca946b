import { expect, it, vi } from 'vitest';
import { InvalidBody } from '../../src/snapshot/wire.js';
import { systemClock } from '../../src/base/time/clock.js';
import { parseSnapshot } from './bodies.fixture.js';
import { hostileBody, NAMES, seeded } from './hostile-bodies.fixture.js';

const BODIES = 500;
const MB = 1024 * 1024;

/** What happened to a body, and in how many turns. */
async function outcomeOf(body: Buffer) {
  let turns = 0;
  let nowMs = 0;
  const clock = {
    ...systemClock,
    // Each look at the clock takes 0.1 ms, on every machine.
    now: () => (nowMs += 0.1),
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

it(`${BODIES} hostile bodies are read or refused with a reason`, async () => {
  const random = seeded(1);
  for (let n = 0; n < BODIES; n++) {
    const name = NAMES[n % NAMES.length] ?? '';
    const bytes = Math.floor(10 ** (1 + random() * 4));
    const body = hostileBody(name, bytes, random);
    const { refused, flags } = await outcomeOf(body);
    expect(refused ?? flags, name).not.toBe('');
  }
});

it.each<[string, number, RegExp]>([
  ['flags 0', 66 * MB, /^flags\[0\]: expected an object$/],
  ['flags {}', 16 * MB, /^flags\[0\]\.key: missing$/],
  ['one junk flag after good ones', MB, /^flags\[2\]: expected an object$/],
  ['variant flags', 4 * MB, /^more than 200000 flags$/],
  ['levels of lists', 8 * MB, /^not JSON: the body ends too early$/],
  ['levels instead of a body', 8 * MB, /^not JSON at byte 0$/],
  ['a long key', 2 * MB, /^flags\[0\]: a long flag that does not begin with its key$/],
  ['members beside the flags', 2 * MB, /^what is beside the flags: more than 1048576 bytes$/],
  ['members after the flags', 2 * MB, /^what is beside the flags: more than 1048576 bytes$/],
  ['a long name beside the flags', 2 * MB, /^what is beside the flags: more than 1048576 bytes$/],
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
    expect([...(unreadable ?? [])]).toMatchObject([['a', { reason: 'the flag: more than 1048576 bytes' }]]);
    expect(Math.max(...parse.mock.calls.map(([parsed]) => parsed.length))).toBeLessThan(1_000);
    parse.mockRestore();
  },
);

it('very many short flags are cut in many turns', async () => {
  const flags = Array.from({ length: 20_000 }, (_, at) => `{"key":"${at}"}`);
  const { turns } = await outcomeOf(Buffer.from(`{"flags":[${flags.join()}]}`));
  expect(turns).toBeGreaterThan(100);
});

it.each([
  ['a list', `["${'x'.repeat(MB)}"]`],
  ['a string', `"${'x'.repeat(MB)}"`],
  ['a number', '1'.repeat(MB)],
])('a flag that is %s is refused without parsing it', async (_kind, flag) => {
  const parse = vi.spyOn(JSON, 'parse');
  const { refused } = await outcomeOf(Buffer.from(`{"flags":[${flag}]}`));
  expect(refused).toBe('flags[0]: expected an object');
  expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(1_000);
  parse.mockRestore();
});
