import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { evaluate } from '../../src/engine/compile.js';
import type { Question } from '../../src/model/answer.js';
import type { Snapshot } from '../../src/snapshot/snapshot.js';
import { BODIES, parseSnapshot, recordedBody, recordedJson } from './bodies.fixture.js';

const read = parseSnapshot;

/** The recorded body, but that every third flag has a type of a newer Flipt. */
function withUnreadable(file: string): Buffer {
  const json = recordedJson(file);
  const flags = json.flags.map((flag, at) => (at % 3 === 1 ? { ...flag, type: 'LIST_FLAG_TYPE' } : flag));
  return Buffer.from(JSON.stringify({ ...json, flags }));
}

const questionOf = (flag: string, user: number): Question => ({
  namespace: 'default',
  flag,
  entity: `user-${user}`,
  attributes: { plan: user % 2 === 0 ? 'pro' : 'free', age: String(user) },
});
/** What is known about a flag: its answer, or why it cannot be read. */
const answering =
  ({ compiled, flags }: Snapshot) =>
  (question: Question) => {
    const answer = compiled.flag(question.flag) && evaluate(compiled, question);
    return { answer, unreadable: flags.unreadable(question.flag) };
  };

describe.each(BODIES)('$file, read when its flags are asked for', ({ file, namespace }) => {
  it('gives the same answers in whatever order they are asked for', async () => {
    const body = withUnreadable(file);
    const whole = await read(body, namespace);
    const answer = answering(whole);
    const keys = [...whole.flags.keys().keys(), 'no-such-flag'];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(400), { maxLength: 60 }), async (asked) => {
        const snapshot = await read(body, namespace);
        const answerNow = answering(snapshot);
        for (const user of asked) {
          const question = questionOf(keys[user % keys.length] ?? '', user);
          expect(answerNow(question)).toEqual(answer(question));
        }
      }),
      { numRuns: 30 },
    );
  });
});

it('parses one flag at the start, and the others as they are asked for', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  const { flags } = await read(recordedBody('alpha.v1.default.json'), 'default');
  const parsed = () => parse.mock.calls.filter(([text]) => /^\{\s*"key"/.test(text)).length;
  expect(parsed()).toBe(1);
  flags.get([...flags.keys().keys()].at(-1) ?? '');
  expect(parsed()).toBe(2);
  flags.whole();
  expect(parsed()).toBe(flags.keys().size);
  parse.mockRestore();
});
