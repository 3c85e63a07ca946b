import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CachedAnswers } from '../../../src/remote/cache/cached-answers.js';
import type { GivenContext } from '../../../src/remote/cache/recall.js';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import type { Resolution } from '../../../src/model/answer.js';
import { providerSettings } from '../../../src/options/settings.js';
import { remotely } from '../../../src/provider/evaluate/resolve-remotely.js';
import { runtimeOf } from '../../runtime.fixture.js';
import { manualClock } from '../../clock.fixture.js';
import { variantAnswer } from '../../provider/mapping/answers.fixture.js';

const FRESH_MS = 3_000;
const STALE_MS = 1_500;

interface Step {
  readonly do: 'resolve' | 'wait' | 'change' | 'change unseen' | 'forget all';
  readonly flag: 'a' | 'b';
  readonly user: string;
  readonly plan: string;
  readonly ms: number;
}

const steps = fc.array(
  fc.record<Step>({
    do: fc.oneof(
      { weight: 6, arbitrary: fc.constant('resolve' as const) },
      { weight: 2, arbitrary: fc.constant('wait' as const) },
      { weight: 1, arbitrary: fc.constantFrom('change', 'change unseen', 'forget all') },
    ),
    flag: fc.constantFrom('a', 'b'),
    user: fc.constantFrom('1', '2', '3'),
    plan: fc.constantFrom('free', 'pro'),
    ms: fc.constantFrom(1, 300, 999, 1_000, 1_700),
  }),
  { minLength: 10, maxLength: 60 },
);

/** A cache in front of a service whose answers name their questions. */
function setUp(maxEntries: number, contextOf: (context: GivenContext) => GivenContext) {
  const clock = manualClock();
  const diagnostics = openDiagnostics();
  let hits = 0;
  diagnostics.listen('hit', () => hits++);
  const versions: Record<string, number> = { a: 0, b: 0 };
  const answerTo = (flag: string, user: string, plan = '') =>
    variantAnswer({ variant: [flag, versions[flag], user, plan].join(' ') });
  const cache = { freshForMs: FRESH_MS, staleForMs: STALE_MS, staleOnErrorForMs: 0, maxEntries };
  const settings = providerSettings({ cache }, {});
  const layer = new CachedAnswers(
    async ({ flag, entity, attributes }) => Promise.resolve(answerTo(flag, entity, attributes.plan)),
    { cache: settings.cache, deadlineMs: 200, refusal: () => undefined },
    runtimeOf(clock, diagnostics),
  );
  const ask = remotely(layer, settings, clock);

  const take = async (step: Step): Promise<Resolution | undefined> => {
    const { flag, user, plan } = step;
    if (step.do === 'resolve') {
      const resolution = await ask(flag, contextOf({ targetingKey: user, plan }), undefined);
      await clock.settle();
      return resolution;
    }
    if (step.do === 'wait') await clock.advance(step.ms);
    else if (step.do === 'forget all') layer.forget();
    else {
      versions[flag] = (versions[flag] ?? 0) + 1;
      if (step.do === 'change') layer.forget([flag]);
    }
    return undefined;
  };
  return { take, answerTo, now: () => clock.now(), seen: () => ({ ...layer.size(), hits }) };
}

/** The same cache as a map of answers: what a resolve returns if no entry is dropped. */
function plainModel(answerTo: ReturnType<typeof setUp>['answerTo'], now: () => number) {
  const kept = new Map<string, { readonly variant: string; readonly at: number }>();
  const resolved = ({ flag, user, plan }: Step) => {
    const key = `${flag} ${user} ${plan}`;
    const { variant } = answerTo(flag, user, plan);
    const before = kept.get(key);
    const ageMs = before === undefined ? Infinity : now() - before.at;
    if (ageMs >= FRESH_MS) kept.set(key, { variant, at: now() });
    if (before === undefined || ageMs >= FRESH_MS + STALE_MS) return { variant, source: 'service', ageMs: 0 };
    return { variant: before.variant, source: 'cache', ageMs };
  };
  return (step: Step) => {
    if (step.do === 'resolve') return resolved(step);
    for (const key of kept.keys()) {
      if (step.do === 'forget all' || (step.do === 'change' && key.startsWith(step.flag))) kept.delete(key);
    }
    return undefined;
  };
}

function outline(resolution: Resolution | undefined): object | undefined {
  if (resolution?.answer.kind !== 'variant') return undefined;
  const { source, ageMs, answer } = resolution;
  return { variant: answer.variant, source, ageMs };
}

describe('whatever is resolved, changed and forgotten, in any order', () => {
  it('a held entry gives what a plain map of answers would give', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const real = setUp(100, Object.freeze);
        const model = plainModel(real.answerTo, real.now);
        for (const step of taken) expect(outline(await real.take(step))).toEqual(model(step));
      }),
    );
  });

  it('a cache that is too small drops the same entries, and reports the same hits, as without held entries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), steps, async (maxEntries, taken) => {
        const holding = setUp(maxEntries, Object.freeze);
        const looking = setUp(maxEntries, (context) => context);
        for (const step of taken) {
          expect(await holding.take(step)).toEqual(await looking.take(step));
          expect(holding.seen()).toEqual(looking.seen());
        }
      }),
    );
  });
});
