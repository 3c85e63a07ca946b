import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/engine/compile.js';
import type { Snapshot } from '../../src/snapshot/snapshot.js';
import {
  BODIES,
  changedKeys,
  parseSnapshot,
  recordedJson,
  type BodyJson,
  type FlagJson,
} from './bodies.fixture.js';

const USERS = Array.from({ length: 20 }, (_, at) => `user-${at}`);

function read(json: BodyJson, namespace: string): Promise<Snapshot> {
  return parseSnapshot(Buffer.from(JSON.stringify(json)), namespace);
}

function answersOf({ flags, compiled }: Snapshot) {
  return [...flags.keys().keys()].flatMap((flag) =>
    USERS.map((entity) => {
      const attributes = { plan: 'pro', age: entity.slice(5), edited: entity };
      return evaluate(compiled, { namespace: 'default', flag, entity, attributes });
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

const contentsOf = async (snapshot: Snapshot) => changedKeys(await read({ flags: [] }, 'default'), snapshot);

describe.each(BODIES)('$file, edited', ({ file, namespace, semantics }) => {
  const first = { ...recordedJson(file), semantics };

  it('is after a comparison what it is without, whoever asked for which flags before', async () => {
    const asked = fc.array(fc.nat(60), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(edits, asked), { minLength: 1, maxLength: 4 }), async (rounds) => {
        let json: BodyJson = first;
        let previous = await read(json, namespace);
        for (const [round, flags] of rounds) {
          for (const at of flags) previous.compiled.flag(json.flags[at % json.flags.length]?.key ?? '');
          json = round.reduce(edited, json);
          const [beside, alone] = [await read(json, namespace), await read(json, namespace)];
          const changed = await changedKeys(previous, beside);
          answersOf(previous);
          expect(changed).toEqual(await changedKeys(previous, alone));
          expect(answersOf(beside)).toEqual(answersOf(await read(json, namespace)));
          expect(beside.flags.whole().unreadable).toEqual(alone.flags.whole().unreadable);
          expect(await contentsOf(beside)).toEqual(await contentsOf(await read(json, namespace)));
          previous = beside;
        }
      }),
      { numRuns: 8 },
    );
  });
});

it('tells copies of a rule from rules that only look alike, although the ids are all that differs', async () => {
  const rule = (id: string) => ({ id, segments: [], distributions: [A, A] });
  const flag = (...ids: readonly string[]) => ({ key: 'f', type: 'VARIANT_FLAG_TYPE', rules: ids.map(rule) });
  const body = (...ids: readonly string[]) =>
    ({ flags: [{ ...flag(...ids), enabled: true }] }) as unknown as BodyJson;
  const [copies, alike] = [body('one', 'one'), body('one', 'two')];
  const [before, after] = [await read(copies, 'default'), await read(alike, 'default')];
  expect(await changedKeys(before, after)).toEqual(['f']);
});
const A = { variantKey: 'a', rollout: 50 };
