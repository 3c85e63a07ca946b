import { describe, expect, it, onTestFinished } from 'vitest';
import { casesOf, RECORDINGS, type RecordedCase } from '../engine/recordings.fixture.js';
import { flipt, serving } from '../provider/open.fixture.js';
import { answerJson, itemsOf, type Script } from '../servers/scripted.fixture.js';
import { statedJson, type FlagJson } from '../snapshot/bodies.fixture.js';
import { mutantsOf, type Mutant } from '../snapshot/mutants.fixture.js';
import { recordedService } from './recorded-service.fixture.js';

/** Mutants of each member of a recorded snapshot: in as many flags as this. */
const OF_EACH_MEMBER = 1;

/** The key of no flag. */
const HEALTH_CHECK = '';

const MODES = ['remote', 'in-process'] as const;
const BODIES = RECORDINGS.flatMap((recording) =>
  (['default', 'team'] as const).map((namespace) => ({ ...recording, namespace })),
);
const bodyOf = (recorded: (typeof BODIES)[number]) => statedJson(recorded, recorded.namespace);

/** Mutants of different flags share a body, so that fewer bodies are polled. Half of the flags stay as they were. */
function roundsOf(flags: readonly FlagJson[]): readonly ReadonlyMap<number, Mutant>[] {
  const rounds: Map<number, Mutant>[] = [];
  for (const mutant of mutantsOf(flags, OF_EACH_MEMBER)) {
    let round = rounds.find((mutants) => !mutants.has(mutant.at) && mutants.size < flags.length / 2);
    if (round === undefined) rounds.push((round = new Map<number, Mutant>()));
    round.set(mutant.at, mutant);
  }
  return rounds;
}

/** What a user sees of a recorded answer, if the default is the other value of a boolean flag, else `none`. */
function expectedOf({ response }: RecordedCase): object {
  const { enabled, variantKey, match, reason, segmentKeys } = response;
  const isDefault = variantKey === '' || (match === false && reason === 'FLAG_DISABLED_EVALUATION_REASON');
  const value = typeof enabled === 'boolean' ? enabled : isDefault ? 'none' : variantKey;
  return {
    value,
    reason: String(reason).replace('_EVALUATION_REASON', ''),
    segments: [...(segmentKeys as readonly string[])].sort().join(),
  };
}

type Provider = ReturnType<typeof flipt>;

async function seenBy(provider: Provider, { request, response }: RecordedCase): Promise<object> {
  const { flagKey, entityId, context } = request;
  const user = { ...context, targetingKey: entityId };
  const { value, errorCode, flagMetadata } =
    typeof response.enabled === 'boolean'
      ? await provider.resolveBooleanEvaluation(flagKey, !response.enabled, user)
      : await provider.resolveStringEvaluation(flagKey, 'none', user);
  if (errorCode !== undefined) return { errorCode };
  const { serviceReason: reason, segmentKeys = '' } = flagMetadata ?? {};
  return { value, reason, segments: String(segmentKeys).split(',').sort().join() };
}

describe.each(BODIES)('a provider that polls mutants of $name, $semantics, $namespace', (recorded) => {
  const { namespace } = recorded;
  const body = bodyOf(recorded);
  const rounds = roundsOf(body.flags);
  const askable = casesOf(recorded).filter(
    ({ request }) => request.namespaceKey === namespace && !('targetingKey' in request.context),
  );
  /** Two questions about each flag. Each round asks all of them twice. */
  const cases = body.flags.flatMap(({ key }) =>
    askable.filter(({ request }) => request.flagKey === key).slice(0, 2),
  );

  it.each(MODES)('answers as Flipt did, and in an outage all that can be read, %s', async (evaluation) => {
    let flags: readonly FlagJson[] = body.flags;
    let served: readonly FlagJson[] | undefined;
    let isFailing = false;
    let asked = new Set<string>();
    const answers = recordedService(cases);
    const evaluate: Script = (request, response) => {
      for (const { flagKey } of itemsOf(request)) asked.add(flagKey);
      if (isFailing) answerJson(response, { code: 14, message: 'no' }, 503);
      else answers(request, response);
    };
    const server = await serving(evaluate, (_, response) => {
      served = flags;
      answerJson(response, { ...body, flags });
    });
    const provider = flipt({
      url: server.url,
      namespace,
      evaluation,
      // Each question is asked, and an outage ends with the next answer.
      cache: false,
      breaker: false,
      http: { retries: 0 },
      watch: { pollMs: 3_600_000 },
    });
    onTestFinished(() => provider.onClose());
    await provider.initialize();
    /** Resolves when the snapshot with the present flags is in force; an earlier poll may still be under way. */
    const polled = () =>
      new Promise<void>((resolve) => {
        const stop = provider.onEvent(() => {
          if (served !== flags) return;
          stop();
          resolve();
        }, ['snapshot-polled']);
        provider.invalidate([]);
      });
    const ask = () => Promise.all(cases.map((one) => seenBy(provider, one)));
    const expected = cases.map(expectedOf);
    const everyFlag = new Set(cases.map(({ request }) => request.flagKey));

    const unreadablePlaces = new Set<string>();
    // From then on, all flags of a snapshot are compared with those before.
    await polled();

    for (const mutants of rounds) {
      flags = body.flags.map((flag, at) => (mutants.get(at)?.flag ?? flag) as FlagJson);
      await polled();
      const { unreadable } = provider.getStatus().watch ?? {};
      const cannotBeRead = new Set(unreadable?.flags.map(({ key }) => key));
      const places = Object.fromEntries(
        [...mutants].map(([at, { place }]) => [body.flags[at]?.key ?? '', place]),
      );
      expect(Object.keys(places)).toEqual(expect.arrayContaining([...cannotBeRead]));

      for (const key of cannotBeRead) unreadablePlaces.add(places[key] ?? '');

      isFailing = false;
      asked = new Set();
      expect(await ask(), JSON.stringify(places)).toEqual(expected);
      asked.delete(HEALTH_CHECK);
      expect(asked).toEqual(evaluation === 'in-process' ? cannotBeRead : everyFlag);

      isFailing = true;
      const inOutage = cases.map(({ request }, at) =>
        cannotBeRead.has(request.flagKey) ? { errorCode: 'PARSE_ERROR' } : expected[at],
      );
      expect(await ask(), JSON.stringify(places)).toEqual(inOutage);
    }
    for (const enumName of ['type', 'rules.segmentOperator', 'rules.segments.constraints.operator']) {
      expect(unreadablePlaces).toContain(enumName);
    }
  });
});
