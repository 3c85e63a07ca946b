import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../../src/engine/compiled-features.js';
import { atOnce as finish } from '../../../src/base/time/pausable-steps.js';
import type { Question } from '../../../src/model/answer.js';
import { parseSnapshot, type ParsedBody } from '../../../src/snapshot/body/parse-snapshot.js';
import { writeBody } from '../../../src/snapshot/body/write-body.js';
import { systemClock } from '../../../src/base/time/clock.js';
import { BODIES, recordedBody, recordedJson } from '../bodies.fixture.js';

const lazily = (body: Buffer, namespace: string) =>
  parseSnapshot(body, namespace, systemClock, { isLazy: true });
const atOnce = (body: Buffer, namespace: string) => parseSnapshot(body, namespace, systemClock);

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
function answering(body: ParsedBody) {
  const compiled = compileFeatures(body.features, body.semantics, [], body.read);
  return (question: Question, other?: ReturnType<typeof evaluate>) => {
    // Asked first, it has to read the flag by itself.
    const isBucket =
      other !== undefined && other.kind !== 'missing' && compiled.bucketDecided(question.flag, other);
    const answer = compiled.flag(question.flag) && evaluate(compiled, question);
    return { answer, isBucket, unreadable: body.unreadable(question.flag) };
  };
}
const contentOf = (body: ParsedBody) => ({
  flags: new Map(body.features.flags),
  unreadable: new Map(body.features.unreadable),
  contents: new Map(body.contents),
  keys: [...body.keys().keys()],
  written: JSON.stringify(writeBody('default', body)),
});

/** A step in the background, or a question about the flag at a position. */
const actions = fc.array(fc.oneof(fc.constant('step' as const), fc.nat(400)), { maxLength: 200 });

describe.each(BODIES)('$file, read when its flags are needed', ({ file, namespace }) => {
  it('gives the answers at any moment of the pass that it gives after it, and the same in the end', async () => {
    const body = withUnreadable(file);
    const whole = await atOnce(body, namespace);
    const answer = answering(whole);
    const keys = [...whole.keys().keys(), 'no-such-flag'];
    await fc.assert(
      fc.asyncProperty(actions, async (given) => {
        const read = await lazily(body, namespace);
        const rest = read.readRest();
        const answerNow = answering(read);
        expect([...read.keys().keys()]).toEqual([...whole.keys().keys()]);
        for (const action of given) {
          if (action === 'step') rest.next();
          else {
            const question = questionOf(keys[action % keys.length] ?? '', action);
            const known = answer(question).answer;
            expect(answerNow(question, known)).toEqual(answer(question, known));
          }
        }
        finish(rest);
        expect(contentOf(read)).toEqual(contentOf(whole));
        expect(read.unreadBody()).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it('is refused as a whole exactly when it is refused otherwise', async () => {
    const body = recordedBody(file);
    const damage = fc.tuple(
      fc.nat(body.length - 1),
      fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', ' ', 'x', '0'),
    );
    await fc.assert(
      fc.asyncProperty(damage, async ([at, byte]) => {
        const rest = byte === '' ? Buffer.alloc(0) : body.subarray(at + 1);
        const damaged = Buffer.concat([body.subarray(0, at), Buffer.from(byte), rest]);
        const why = (reading: Promise<ParsedBody>) =>
          reading.then(
            () => 'read',
            (error: unknown) => String(error),
          );
        expect(await why(lazily(damaged, namespace))).toBe(await why(atOnce(damaged, namespace)));
      }),
      { numRuns: 150 },
    );
  });
});

it('keeps neither the body nor what names segments when all has been read', async () => {
  const read = await lazily(recordedBody(BODIES[0]?.file ?? ''), BODIES[0]?.namespace ?? '');
  expect(read.unreadBody()).toBeInstanceOf(Buffer);
  for (const key of read.keys().keys()) read.read(key);
  finish(read.readRest());
  expect(read.unreadBody()).toBeUndefined();
});

it('reads nothing but keys and one flag at the start', async () => {
  const { contents, features } = await lazily(recordedBody('alpha.v1.default.json'), 'default');
  expect(contents.size).toBe(1);
  expect(features.flags.size).toBe(1);
});
