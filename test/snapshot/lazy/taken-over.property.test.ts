import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../../src/engine/compiled-features.js';
import { parseSnapshot, type ParsedBody } from '../../../src/snapshot/body/parse-snapshot.js';
import { systemClock } from '../../../src/base/time/clock.js';
import { BODIES, recordedJson, type BodyJson, type FlagJson } from '../bodies.fixture.js';

const USERS = Array.from({ length: 5 }, (_, at) => `user-${at}`);

const parse = (json: BodyJson, namespace: string, previous?: ParsedBody) =>
  parseSnapshot(Buffer.from(JSON.stringify(json)), namespace, systemClock, { previous });

function answersOf({ features, semantics, keys }: ParsedBody) {
  const compiled = compileFeatures(features, semantics);
  return [...keys().keys()].flatMap((flag) =>
    USERS.map((entity) => {
      const attributes = { plan: 'pro', age: entity.slice(5), edited: entity };
      const answer = evaluate(compiled, { namespace: 'default', flag, entity, attributes });
      return [answer, answer.kind !== 'missing' && compiled.bucketDecided(flag, answer)];
    }),
  );
}

/** An edit of one flag, or of one copy of a segment in it: v1 may be edited while it writes a snapshot. */
type Edit = readonly [
  kind: 'toggle' | 'segment' | 'ids' | 'unreadable' | 'gone' | 'order',
  flag: number,
  to: number,
];
const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom('toggle', 'segment', 'ids', 'unreadable', 'gone', 'order'),
  fc.nat(60),
  fc.integer({ min: 0, max: 3 }),
);
const edits = fc.array(edit, { minLength: 1, maxLength: 4 });

function edited(json: BodyJson, [kind, at, to]: Edit): BodyJson {
  const position = at % json.flags.length;
  const change = (flag: FlagJson): readonly FlagJson[] => {
    if (kind === 'toggle') return [{ ...flag, enabled: to % 2 === 0 }];
    if (kind === 'unreadable') return [{ ...flag, type: `NEWER_${to}` }];
    if (kind === 'gone') return json.flags.length > 5 ? [] : [flag];
    if (kind === 'ids')
      return [JSON.parse(JSON.stringify(flag).replaceAll(/"id":"[^"]{3}/g, `"id":"${to}ab`)) as FlagJson];
    const constraints = [
      { type: 'STRING_CONSTRAINT_COMPARISON_TYPE', property: 'edited', operator: 'eq', value: `user-${to}` },
    ];
    const segment = (one: unknown) => ({ ...(one as object), constraints });
    const rules = ((flag.rules as FlagJson['rules'] | undefined) ?? []).map((rule, number) =>
      number === 0 ? { ...rule, segments: rule.segments.map(segment) } : rule,
    );
    return [{ ...flag, rules }];
  };
  if (kind === 'order')
    return { ...json, flags: [...json.flags.slice(position), ...json.flags.slice(0, position)] };
  return {
    ...json,
    flags: json.flags.flatMap((flag, number) => (number === position ? change(flag) : [flag])),
  };
}

describe.each(BODIES)('$file, edited', ({ file, namespace, semantics }) => {
  it('is read beside the previous snapshot as it is read alone', async () => {
    const first = { ...recordedJson(file), semantics };
    await fc.assert(
      fc.asyncProperty(fc.array(edits, { minLength: 1, maxLength: 4 }), async (rounds) => {
        let json: BodyJson = first;
        let previous = await parse(json, namespace);
        for (const round of rounds) {
          json = round.reduce(edited, json);
          const [beside, alone] = [await parse(json, namespace, previous), await parse(json, namespace)];
          expect([...beside.contents]).toEqual([...alone.contents]);
          expect([...beside.features.unreadable]).toEqual([...alone.features.unreadable]);
          expect(answersOf(beside)).toEqual(answersOf(alone));
          previous = beside;
        }
      }),
      { numRuns: 25 },
    );
  });

  it('takes over every flag but the edited one, also when all have new ids', async () => {
    const json = recordedJson(file);
    const before = await parse(json, namespace);
    const withNewIds = JSON.stringify(json).replaceAll(/"id":"[^"]{8}/g, '"id":"00000000');
    const next = semantics === 'v1' ? json : (JSON.parse(withNewIds) as BodyJson);
    const after = await parse(edited(next, ['toggle', 0, 0]), namespace, before);
    const same = [...after.features.flags].filter(([key, flag]) => before.features.flags.get(key) === flag);
    expect(same.length).toBeGreaterThanOrEqual(json.flags.length - 1);
  });
});

it('holds as many segments after a hundred edits as after the first', async () => {
  let previous: ParsedBody | undefined;
  const sizes = [];
  for (let at = 0; at < 100; at++) {
    previous = await parse(
      edited(recordedJson('alpha.v1.default.json'), ['segment', 2, at]),
      'default',
      previous,
    );
    sizes.push(previous.features.segments.size);
  }
  expect(sizes.at(-1)).toBe(sizes[1]);
  expect([...(previous?.features.segments.keys() ?? [])].every((name) => name.length < 40)).toBe(true);
});

it('tells copies of a rule from rules that only look alike, although the ids are all that differs', async () => {
  const rule = (id: string) => ({ id, segments: [], distributions: [A, A] });
  const flag = (...ids: readonly string[]) => ({ key: 'f', type: 'VARIANT_FLAG_TYPE', rules: ids.map(rule) });
  const body = (...ids: readonly string[]) =>
    ({ flags: [{ ...flag(...ids), enabled: true }] }) as unknown as BodyJson;
  const [copies, alike] = [body('one', 'one'), body('one', 'two')];
  const before = await parse(copies, 'default');
  const after = await parse(alike, 'default', before);
  expect([...after.contents]).toEqual([...(await parse(alike, 'default')).contents]);
  expect([...after.contents]).not.toEqual([...before.contents]);
});
const A = { variantKey: 'a', rollout: 50 };
