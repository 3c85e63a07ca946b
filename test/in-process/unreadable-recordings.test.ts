import { describe, expect, it, onTestFinished } from 'vitest';
import { providerSettings } from '../../src/options/settings.js';
import { pipelineOf } from '../provider/pipeline.fixture.js';
import {
  casesOf,
  comparable,
  recordedForm,
  RECORDINGS,
  type Recording,
} from '../engine/recordings.fixture.js';
import { eventually, PATIENT } from '../eventually.fixture.js';
import { recordingLogger, serving } from '../provider/open.fixture.js';
import { answerJson } from '../servers/scripted.fixture.js';
import { statedJson, type FlagJson } from '../snapshot/bodies.fixture.js';
import { recordedService } from './recorded-service.fixture.js';
import { mutantsOf } from '../snapshot/mutants.fixture.js';

const MODES = ['remote', 'in-process'] as const;

/** Every third flag of the recorded snapshot is unreadable, each in another way. */
function newerSnapshot(recording: Recording) {
  const body = statedJson(recording, 'default');
  const mutants = mutantsOf(body.flags, Infinity);
  const unreadable = new Set<string>();
  const flags = body.flags.map((flag, at): FlagJson => {
    if (at % 3 !== 0) return flag;
    const own = mutants.filter((mutant) => mutant.at === at && mutant.place !== 'name');
    const words = own.filter(({ place }) => /(?:type|Type|[oO]perator)$/.test(place));
    unreadable.add(flag.key);
    return words[at % words.length]?.flag as FlagJson;
  });
  return { body: { ...body, flags }, unreadable };
}

describe.each(RECORDINGS)('$name, $semantics, with every third flag unreadable', (recording) => {
  it.each(MODES)('answers as Flipt did, and in an outage all that can be read, %s', async (evaluation) => {
    const { body, unreadable } = newerSnapshot(recording);
    const keys = new Set(body.flags.map(({ key }) => key));
    const cases = casesOf(recording).filter(
      ({ request: { namespaceKey, flagKey, context } }) =>
        namespaceKey === 'default' && keys.has(flagKey) && !('targetingKey' in context),
    );
    const server = await serving(recordedService(cases), (_, response) => {
      answerJson(response, body);
    });
    const options = { ...PATIENT, url: server.url, evaluation, cache: false, logger: recordingLogger() };
    const provider = pipelineOf(providerSettings(options, {}));
    onTestFinished(() => provider.close());
    expect(await provider.start()).toBeUndefined();
    await eventually(() => provider.source?.snapshot()?.flags.foundUnreadable.size === unreadable.size);

    const ask = () =>
      Promise.all(
        cases.map(async (recorded) => {
          const { flagKey, entityId, context } = recorded.request;
          const { answer } = await provider.evaluate(flagKey, { ...context, targetingKey: entityId });
          return answer.kind === 'failed'
            ? { flagKey, failed: answer.failure.kind }
            : comparable(recordedForm(recorded, answer));
        }),
      );
    const expected = cases.map(({ response }) => comparable(response));
    expect(await ask()).toEqual(expected);

    await server.close();
    expect(await ask()).toEqual(
      cases.map(({ request: { flagKey } }, at) =>
        unreadable.has(flagKey) ? { flagKey, failed: 'unreadable-flag' } : expected[at],
      ),
    );
  });
});
