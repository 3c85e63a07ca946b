import { describe, expect, it } from 'vitest';
import { compileFeatures, type CompiledFeatures, evaluate } from '../../src/engine/compile.js';
import {
  casesOf,
  isAsRecorded,
  questionOf,
  RECORDINGS,
  type Recording,
} from '../engine/recordings.fixture.js';
import { parsedJson, statedJson, type BodyJson } from './bodies.fixture.js';

const NAMESPACES = ['default', 'team'] as const;

async function differences(recording: Recording, edit: (body: BodyJson) => BodyJson = (body) => body) {
  const snapshots = new Map<string, CompiledFeatures>();
  for (const namespace of NAMESPACES) {
    const body = edit(statedJson(recording, namespace));
    const parsed = await parsedJson(body, namespace);
    snapshots.set(namespace, compileFeatures(parsed.features, parsed.semantics));
  }
  const cases = casesOf(recording);
  expect(cases).toHaveLength(1500);
  return cases.flatMap((recorded) => {
    const question = questionOf(recorded);
    const answer = evaluate(snapshots.get(question.namespace), question);
    return isAsRecorded(recorded, answer) ? [] : [{ recorded, answer }];
  });
}

describe('a recorded snapshot reproduces the recorded answers', () => {
  it.each(RECORDINGS)('$name, $semantics: 1,500 of 1,500', async (recording) => {
    expect(await differences(recording)).toEqual([]);
  });
});

describe('this test', () => {
  it('fails if nobody corrects the rules and distributions that v1 repeats', async () => {
    const wrong = await differences({ name: 'alpha', semantics: 'v1' }, withoutRuleIds);

    expect(wrong.length).toBeGreaterThan(0);
  });
});

/** Then no rule is recognised as a copy of another. */
function withoutRuleIds(body: BodyJson): BodyJson {
  return {
    ...body,
    flags: body.flags.map((flag) => ({ ...flag, rules: flag.rules.map((rule) => ({ ...rule, id: '' })) })),
  };
}
