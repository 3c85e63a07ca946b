import { bucketOf } from '../../../src/engine/buckets.js';
import { evaluator } from '../../../src/engine/compile.js';
import type { Semantics } from '../../../src/engine/features.js';
import type { Answer, Question } from '../../../src/model/answer.js';
import { readFeatures } from '../../../src/features/read-features.js';
import type { Finding } from '../../../src/features/problem.js';
import type { FeaturesDocument, FlagDocument, SegmentDocument } from '../../../src/local/index.js';
import { toNumber, toObject } from '../../../src/model/value-of-type.js';

export interface Checked {
  readonly document: FeaturesDocument;
  readonly semantics: Semantics;
  readonly questions: readonly Omit<Question, 'flag'>[];
}

type Asked = (document: FeaturesDocument, flag: string) => Promise<readonly Answer[]>;

/** Whether what a finding says is what evaluation does. */
export async function isTrue(
  { rule, path, problem }: Finding,
  { document, semantics, questions }: Checked,
): Promise<boolean> {
  const [list = '', index = 0, part = '', at = 0] = partsOf(path);
  const flags = document.flags ?? [];
  const flag = list === 'flags' ? flags[Number(index)] : undefined;
  const segment = list === 'segments' ? document.segments?.[Number(index)] : undefined;

  const asked: Asked = async (about, key) => {
    const features = (await readFeatures(about, semantics)).namespaces.get('default');
    const evaluate = evaluator(semantics);
    return questions.map((question) => evaluate(features, { ...question, flag: key }));
  };
  const withFlag = (changed: FlagDocument): FeaturesDocument => ({
    ...document,
    flags: flags.map((each) => (each === flag ? changed : each)),
  });
  const isSame = async (changed: FeaturesDocument): Promise<boolean> => {
    const answers = await Promise.all(
      flags.map(async ({ key }) => [await asked(document, key), await asked(changed, key)]),
    );
    return answers.every(([before, after]) => JSON.stringify(before) === JSON.stringify(after));
  };

  switch (rule) {
    // test/features/refusals.alone.test.ts compares what the linter finds here with the verdicts of real servers.
    case 'refused':
      return true;
    case 'missing-type':
      return (
        flag !== undefined &&
        valuesIn(await asked(withFlag(on(flag)), flag.key)).every((value) => value === '')
      );
    case 'single-value': {
      if (flag === undefined) return false;
      const values = valuesIn(
        await asked(flag.type === 'BOOLEAN_FLAG_TYPE' ? document : withFlag(on(flag)), flag.key),
      );
      const said = /everybody gets ([^:]*)(?::.*)?\.$/i.exec(problem)?.[1] ?? '""';
      return values.every((value) => JSON.stringify(value) === said);
    }
    case 'rollout-sum':
      return flag !== undefined && (await givesShares(flag, Number(at), problem, semantics));
    case 'small-percentage': {
      const rollout = flag?.rollouts?.[Number(at)];
      const percentage =
        rollout !== undefined && 'threshold' in rollout ? rollout.threshold?.percentage : NaN;
      const bound = Math.fround(Number(percentage));
      return (
        Array.from({ length: 100 }, (_, percent) => percent).filter((percent) => percent < bound).length <= 1
      );
    }
    case 'text-attachment': {
      const answers = flag === undefined ? [] : await asked(withFlag(on(flag)), flag.key);
      const key = flag?.variants?.[Number(at)]?.key;
      return answers.every(
        (answer) =>
          answer.kind !== 'variant' ||
          answer.variant !== key ||
          ('problem' in toObject(answer) && 'problem' in toNumber(answer)),
      );
    }
    case 'boolean-variants':
      return flag !== undefined && isSame(withFlag({ ...flag, variants: [], rules: [] }));
    case 'unused-segment':
      return isSame({ ...document, segments: document.segments?.filter((each) => each !== segment) ?? [] });
    case 'unreachable-rule': {
      if (flag === undefined || (part !== 'rules' && part !== 'rollouts')) return false;
      // A rule without a rank has that of its position, which must not change.
      const rules = (flag.rules ?? []).map((rule, position) => ({
        ...rule,
        rank: rule.rank || position + 1,
      }));
      const rest = { rules, rollouts: flag.rollouts ?? [] }[part].filter(
        (_step, position) => position !== at,
      );
      return isSame(withFlag({ ...flag, [part]: rest }));
    }
    case 'never-matches': {
      if (segment === undefined) return false;
      const constraint = segment.constraints?.[Number(at)];
      const isSegment = problem.endsWith('The segment matches nobody.');
      const isAlone = !problem.includes('together');
      const alone = { ...segment, constraints: constraint === undefined ? [] : [constraint] };
      return (
        (!isSegment || (await asked(probe(segment), 'probe')).every(isOff)) &&
        (!isAlone || (await asked(probe(alone), 'probe')).every(isOff))
      );
    }
    default:
      return false;
  }
}

/** Returns the parts of a path such as `flags[0].rules[1]`. */
function partsOf(path: string): readonly (string | number)[] {
  return path.split(/[.[\]]+/).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function on(flag: FlagDocument): FlagDocument {
  return { ...flag, enabled: true };
}

function valuesIn(answers: readonly Answer[]): readonly unknown[] {
  return answers.map((answer) =>
    answer.kind === 'variant' ? answer.variant : answer.kind === 'boolean' ? answer.enabled : undefined,
  );
}

/** Makes a flag that is on only for the entities of a segment. */
function probe(segment: SegmentDocument): FeaturesDocument {
  const rollouts = [{ segment: { key: segment.key, value: true } }];
  return {
    segments: [segment],
    flags: [{ key: 'probe', type: 'BOOLEAN_FLAG_TYPE', enabled: false, rollouts }],
  };
}

function isOff(answer: Answer): boolean {
  return answer.kind === 'boolean' && !answer.enabled;
}

/** Whether a rule gives the variants to as many of the buckets as the sentence says. */
async function givesShares(
  flag: FlagDocument,
  at: number,
  problem: string,
  semantics: Semantics,
): Promise<boolean> {
  const rule = flag.rules?.[at];
  if (rule === undefined) return false;
  const document = {
    segments: [{ key: 'all' }],
    flags: [{ ...on(flag), rules: [{ ...rule, segment: 'all' }] }],
  };
  const features = (await readFeatures(document, semantics)).namespaces.get('default');
  const evaluate = evaluator(semantics);
  const given = new Map<string, number>();
  for (const entity of everyBucket(flag.key)) {
    const answer = evaluate(features, { namespace: 'default', flag: flag.key, entity, attributes: {} });
    const variant = answer.kind === 'variant' ? answer.variant : '?';
    given.set(variant, (given.get(variant) ?? 0) + 1);
  }
  const said = new Map<string, number>();
  for (const [, quoted, percent] of problem.matchAll(/(?:("\w+")|no variant) to ([\d.]+) %/g)) {
    const variant = quoted === undefined ? '' : quoted.slice(1, -1);
    said.set(variant, (said.get(variant) ?? 0) + Math.round(Number(percent) * 10));
  }
  return JSON.stringify([...given].sort()) === JSON.stringify([...said].sort());
}

const entities = new Map<string, readonly string[]>();

/** Returns an entity for each of a flag's 1,000 buckets. */
function everyBucket(flagKey: string): readonly string[] {
  const known = entities.get(flagKey);
  if (known !== undefined) return known;
  const found = new Map<number, string>();
  for (let number = 0; found.size < 1000; number++) found.set(bucketOf(flagKey, `e${number}`), `e${number}`);
  entities.set(flagKey, [...found.values()]);
  return [...found.values()];
}
