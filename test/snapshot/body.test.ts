import { describe, expect, it } from 'vitest';
import { compileFeatures, evaluate } from '../../src/engine/compile.js';
import { explain } from '../../src/engine/explain.js';
import { isV2 } from '../../src/engine/version-differences.js';
import { systemClock } from '../../src/base/time/clock.js';
import { changedKeys as differing } from '../../src/snapshot/flags.js';
import { initialSnapshot } from '../../src/snapshot/initial.js';
import { snapshotObject, snapshotText } from '../../src/snapshot/text.js';
import { manualClock } from '../clock.fixture.js';
import { ORIGIN } from './origin.fixture.js';
import {
  BODIES,
  changedKeys,
  parsedJson,
  parseSnapshot,
  recordedJson,
  type BodyJson,
} from './bodies.fixture.js';

const V2 = 'alpha.v2.default.json';

describe('a recorded snapshot', () => {
  it.each(BODIES)('$file: is read by the rules of its Flipt', async ({ file, namespace, semantics }) => {
    const parsed = await parsedJson({ ...recordedJson(file), semantics }, namespace);

    expect(parsed.semantics).toBe(semantics);
    expect(parsed.digest).toEqual(isV2(semantics) ? expect.any(String) : undefined);
    expect(parsed.features.flags.size).toBeGreaterThan(10);
  });

  it.each(BODIES)(
    '$file: stays the same with other ids, times and orders of segments',
    async ({ file, namespace }) => {
      const json = recordedJson(file);
      const before = await parsedJson(json, namespace);
      const after = await parsedJson(rewritten(json), namespace);

      expect(await changedKeys(before, after)).toEqual([]);
    },
  );

  it('names the flags of an edited segment', async () => {
    const json = recordedJson(V2);
    const users = json.flags.filter((flag) => JSON.stringify(flag).includes('"seg5"')).map(({ key }) => key);
    const [before, after] = [await parsedJson(json), await parsedJson(editedSegment(json, 'seg5'))];

    expect(users.length).toBeGreaterThan(3);
    expect(await changedKeys(before, after)).toEqual(users.sort());
  });
});

/** Each look at the clock takes a millisecond. */
function busyClock() {
  let looks = 0;
  const busy = {
    ...manualClock(),
    turns: 0,
    now: () => ++looks,
    endOfTurn: (run: () => void) => {
      busy.turns++;
      run();
    },
  };
  return busy;
}

describe('2,000 flags', () => {
  const flags = Array.from({ length: 2000 }, (_, at) => ({ key: `flag-${at}`, createdAt: 'x'.repeat(200) }));
  const read = () => parseSnapshot(Buffer.from(JSON.stringify({ flags })), 'default', systemClock);

  it('are cut and read in many turns of the event loop', async () => {
    const busy = busyClock();
    const snapshot = await parseSnapshot(Buffer.from(JSON.stringify({ flags })), 'default', busy);
    expect(busy.turns).toBeGreaterThan(900);
    busy.turns = 0;
    let seen = 0;
    await snapshot.flags.each(busy, () => void seen++);
    expect(seen).toBe(2000);
    expect(busy.turns).toBeGreaterThan(900);
  });

  it('are given by getSnapshot, and saved, in many turns of the event loop', async () => {
    const known = { snapshot: await read(), etag: undefined, confirmedAt: 0 };
    for (const write of [snapshotObject, snapshotText]) {
      const busy = busyClock();
      await write(known, ORIGIN, busy);
      expect(busy.turns).toBeGreaterThan(900);
    }
  });

  it('of snapshot.initial are taken in many turns of the event loop', async () => {
    const busy = busyClock();
    const initial = await initialSnapshot({ initial: { flags } }, ORIGIN, () => expect.fail(), busy);
    expect(initial?.snapshot.flags.keys().size).toBe(2000);
    // They are written, and then digested.
    expect(busy.turns).toBeGreaterThan(1_500);
  });

  it('are compared in many turns of the event loop', async () => {
    const busy = busyClock();
    const [before, after] = [await read(), await read()];
    expect(await differing(before.flags, after.flags, busy)).toEqual([]);
    expect(busy.turns).toBeGreaterThan(900);
  });
});

describe('what may be missing', () => {
  it('takes the default of proto3 for each missing member', async () => {
    const segment = { key: 's' };
    const { features } = await parsedJson({
      flags: [
        { key: 'v', rules: [{ segments: [segment], distributions: [{ variantKey: 'a' }] }] },
        { key: 'b', type: 'BOOLEAN_FLAG_TYPE', rollouts: null, defaultVariant: null },
      ],
    });

    expect(features.flags.get('v')).toMatchObject({
      type: 'VARIANT_FLAG_TYPE',
      enabled: false,
      defaultVariantId: undefined,
      rules: [
        {
          segmentOperator: 'OR_SEGMENT_OPERATOR',
          segmentKeys: [expect.stringMatching(/^s\0/)],
          distributions: [],
        },
      ],
    });
    expect([...features.segments.values()]).toEqual([
      { key: 's', matchType: 'ALL_MATCH_TYPE', constraints: [] },
    ]);
    expect(features.flags.get('b')).toMatchObject({ enabled: false, rollouts: [] });
  });

  it('keeps an enum that came as a number without a word', async () => {
    const segments = [{ key: 's', matchType: 7 }];
    const { features } = await parsedJson({
      flags: [{ key: 'v', rules: [{ segmentOperator: 1, segments }] }],
    });

    expect([...features.segments.values()]).toMatchObject([{ matchType: 7 }]);
    expect(features.flags.get('v')).toMatchObject({ rules: [{ segmentOperator: 'AND_SEGMENT_OPERATOR' }] });
  });

  it('ignores members that it does not know', async () => {
    const flags = [{ key: 'b', type: 'BOOLEAN_FLAG_TYPE', enabled: true, sparkle: [{ deep: 1 }] }];
    const { features } = await parsedJson({ flags, more: { flags: [1, 2] }, 'a "flags"': '"flags":[{' });

    expect([...features.flags.keys()]).toEqual(['b']);
  });
});

describe('segments of one key that differ', () => {
  const withPlan = (value: string) => ({
    key: 's',
    constraints: [{ type: 'STRING_CONSTRAINT_COMPARISON_TYPE', property: 'plan', operator: 'eq', value }],
  });
  const flag = (key: string, value: string) => ({
    key,
    enabled: true,
    rules: [{ segments: [withPlan(value)] }],
  });

  it('stay apart, so that each flag is evaluated by its own', async () => {
    const { features } = await parsedJson({
      flags: [flag('one', 'pro'), flag('two', 'max'), flag('three', 'pro')],
    });
    const values = ['one', 'two', 'three'].map((key) => {
      const read = features.flags.get(key);
      const segmentKey = read && 'rules' in read ? read.rules[0]?.segmentKeys[0] : undefined;
      return features.segments.get(segmentKey ?? '')?.constraints[0]?.value;
    });

    expect(values).toEqual(['pro', 'max', 'pro']);
    expect([...features.segments.values()].map(({ key }) => key)).toEqual(['s', 's']);
  });

  it('are reported by the key that they have', async () => {
    const { features } = await parsedJson({
      flags: [
        flag('one', 'pro'),
        flag('two', 'max'),
        {
          key: 'three',
          type: 'BOOLEAN_FLAG_TYPE',
          rollouts: [{ type: 'SEGMENT_ROLLOUT_TYPE', segment: { segments: [withPlan('max')] } }],
        },
      ],
    });
    const attributes = { plan: 'max' };
    for (const key of ['two', 'three']) {
      const question = { namespace: 'default', flag: key, entity: 'ann', attributes };
      const compiled = compileFeatures(features, 'v1');
      expect(evaluate(compiled, question)).toMatchObject({ segmentKeys: ['s'] });
      expect(explain(compiled, question)).toMatchObject({
        answer: { segmentKeys: ['s'] },
        steps: [{ segments: [{ key: 's' }] }],
      });
    }
  });

  it('are compared by what they hold, whichever comes first', async () => {
    const one = await parsedJson({ flags: [flag('one', 'pro'), flag('two', 'max')] });
    const other = await parsedJson({ flags: [flag('two', 'max'), flag('one', 'pro')] });

    expect(await changedKeys(one, other)).toEqual([]);
  });
});

/** As another server, or the same one on another day, would write it. */
function rewritten(json: BodyJson): BodyJson {
  return JSON.parse(JSON.stringify(json), (name, value: unknown) => {
    if (name === 'segments' && Array.isArray(value)) return (value as unknown[]).toReversed();
    if (/^(id|ruleId|variantId)$/.test(name)) return `other-${String(value)}`;
    return /^(createdAt|updatedAt)$/.test(name) ? '2030-01-01T00:00:00Z' : value;
  }) as BodyJson;
}

function editedSegment(json: BodyJson, key: string): BodyJson {
  return JSON.parse(JSON.stringify(json), (_name, value: unknown) => {
    const isSegment = typeof value === 'object' && value !== null && 'matchType' in value;
    return isSegment && 'key' in value && value.key === key ? { ...value, constraints: [] } : value;
  }) as BodyJson;
}
