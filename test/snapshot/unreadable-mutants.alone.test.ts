import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../src/engine/compile.js';
import { casesOf, comparable, questionOf, recordedForm, RECORDINGS } from '../engine/recordings.fixture.js';
import { parsedJson, statedJson, type FlagJson } from './bodies.fixture.js';
import { mutantsOf } from './mutants.fixture.js';

/** Each member of a recorded snapshot is changed in this many flags. */
const OF_EACH_MEMBER = 1;

const BODIES = RECORDINGS.flatMap((recording) =>
  ['default', 'team'].map((namespace) => ({ ...recording, namespace })),
);
const bodyOf = (recorded: (typeof BODIES)[number]) => statedJson(recorded, recorded.namespace);

describe.each(BODIES)('of the mutants of $name, $semantics, $namespace', (recorded) => {
  const { semantics, namespace } = recorded;
  const body = bodyOf(recorded);
  const cases = casesOf(recorded)
    .filter(({ request }) => request.namespaceKey === namespace)
    .map((one) => ({ one, question: questionOf(one), expected: comparable(one.response) }));

  it('none changes an answer: the flag is unreadable or answers as recorded, and so do all others', async () => {
    const wrong: unknown[] = [];
    const unread = new Set<string>();
    for (const { at, flag, place } of mutantsOf(body.flags, OF_EACH_MEMBER)) {
      const key = body.flags[at]?.key ?? '';
      const flags = body.flags.with(at, flag as FlagJson);
      const { features } = await parsedJson({ ...body, flags }, namespace);
      const unreadable = [...features.unreadable.keys()];
      if (unreadable.length > 0) unread.add(place);
      if (unreadable.length > 0 && unreadable.join() !== key) wrong.push({ place, unreadable });
      const compiled = compileFeatures(features, semantics);
      for (const { one, question, expected } of cases) {
        if (unreadable.includes(question.flag)) continue;
        const ours = comparable(recordedForm(one, evaluate(compiled, question)));
        if (!isDeepStrictEqual(ours, expected)) wrong.push({ place, flag: question.flag, ours, expected });
      }
    }

    expect(wrong).toEqual([]);
    for (const enumName of ['type', 'rules.segmentOperator', 'rules.segments.constraints.operator']) {
      expect(unread).toContain(enumName);
    }
  });
});
