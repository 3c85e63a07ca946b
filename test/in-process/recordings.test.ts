import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { providerSettings } from '../../src/options/settings.js';
import type { Running } from '../../src/provider/layers.js';
import { pipelineOf } from '../provider/pipeline.fixture.js';
import {
  casesOf,
  featuresOf,
  isAsRecorded,
  RECORDINGS,
  type Recording,
} from '../engine/recordings.fixture.js';
import { PATIENT } from '../eventually.fixture.js';
import { localService, recordingLogger } from '../provider/open.fixture.js';

/**
 * Evaluates the recorded questions in this process. A question with an attribute called targetingKey cannot be asked.
 */
async function differences(
  recording: Recording,
  options: (namespace: string) => FliptProviderOptions,
): Promise<{ readonly compared: number; readonly different: readonly object[] }> {
  const running = new Map<string, Running>();
  for (const namespace of ['default', 'team']) {
    const settings = providerSettings(
      { namespace, evaluation: 'in-process', logger: recordingLogger(), ...PATIENT, ...options(namespace) },
      {},
    );
    const provider = pipelineOf(settings);
    expect(await provider.start()).toBeUndefined();
    running.set(namespace, provider);
  }
  const cases = casesOf(recording).filter(
    ({ request }) => running.has(request.namespaceKey) && !('targetingKey' in request.context),
  );
  const different = cases.flatMap((recorded): object[] => {
    const { namespaceKey, flagKey, entityId, context } = recorded.request;
    const resolution = running.get(namespaceKey)?.evaluate(flagKey, { ...context, targetingKey: entityId });
    if (resolution === undefined || resolution instanceof Promise)
      return [{ recorded, resolution: 'not here' }];
    const { answer, source } = resolution;
    if (answer.kind === 'failed' || source !== 'in-process') return [{ recorded, resolution }];
    return isAsRecorded(recorded, answer) ? [] : [{ recorded, answer }];
  });
  for (const provider of running.values()) await provider.close();
  return { compared: cases.length, different };
}

describe.each(RECORDINGS)('in-process, $name, $semantics', (recording) => {
  const { name, semantics } = recording;

  it('answers as Flipt did, from the recorded snapshot', async () => {
    const { compared, different } = await differences(recording, (namespace) => {
      const file = `../recordings/snapshot/${name}.${semantics}.${namespace}.json`;
      const initial = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as object;
      return { watch: false, snapshot: { initial, semantics } };
    });
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(1_400);
  });

  it('answers as Flipt did, from the snapshot of the embedded service', async () => {
    const { url } = await localService({ features: featuresOf(recording), semantics });
    const { compared, different } = await differences(recording, () => ({ url }));
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(1_400);
  });
});
