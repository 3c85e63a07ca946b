import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  FliptProviderOptions,
  HttpDispatcherRequest,
  HttpDispatcherResponse,
} from '../../../src/index.js';
import { providerSettings } from '../../../src/options/settings.js';
import { manualClock } from '../../clock.fixture.js';
import { answerOfPath, INITIAL } from './first-poll.fixture.js';
import { recordingLogger } from '../open.fixture.js';
import { pipelineOf } from '../pipeline.fixture.js';

const USER = { targetingKey: 'ann' };

/** A provider that has started, and the times at which it has asked for the snapshot. */
async function started(options: FliptProviderOptions = {}) {
  const clock = manualClock();
  const polledAt: number[] = [];
  const request = (sent: HttpDispatcherRequest): Promise<HttpDispatcherResponse> => {
    if (sent.path.startsWith('/internal/v1/evaluation/snapshot/')) polledAt.push(clock.now());
    return Promise.resolve(answerOfPath(sent));
  };
  const http = { dispatcher: { request } };
  const settings = providerSettings(
    { url: 'http://flipt.test', logger: recordingLogger(), ...options, http },
    {},
  );
  const pipeline = pipelineOf(settings, clock, () => 0.5);
  onTestFinished(() => pipeline.close());
  const starting = pipeline.start();
  await clock.settle();
  await starting;
  const evaluate = async (flag: string) => {
    void pipeline.evaluate(flag, USER);
    await clock.settle();
  };
  return { clock, polledAt, pipeline, evaluate };
}

describe('the first poll in remote mode', () => {
  it('comes 250 ms after the start, so that it does not delay the first answers', async () => {
    const { clock, polledAt, evaluate } = await started();
    await evaluate('on');
    await clock.advance(249);
    expect(polledAt).toEqual([]);
    await clock.advance(1);
    expect(polledAt).toEqual([250]);
    await clock.advance(15_000);
    expect(polledAt).toEqual([250, 15_250]);
  });

  it('comes at once if a flag does not exist', async () => {
    const { clock, polledAt, evaluate } = await started();
    await clock.advance(10);
    await evaluate('misspelt');
    expect(polledAt).toEqual([10]);
    await evaluate('misspelt-too');
    await clock.advance(14_999);
    expect(polledAt).toEqual([10]);
    await clock.advance(1);
    expect(polledAt).toEqual([10, 15_010]);
  });

  it('comes at once if the app asks for it', async () => {
    const { clock, polledAt, pipeline } = await started();
    await pipeline.refresh();
    expect(polledAt).toEqual([0]);
    await pipeline.refresh();
    await clock.advance(14_999);
    expect(polledAt).toEqual([0]);
  });

  it.each<[string, FliptProviderOptions]>([
    ['evaluation: in-process', { evaluation: 'in-process' }],
    ['snapshot.initial', { snapshot: { initial: INITIAL } }],
    [
      'a place for a saved snapshot, so that a process that ends soon saves one',
      { snapshot: { store: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() } } },
    ],
    ['watch.stream', { watch: { stream: true } }],
  ])('comes at once with %s', async (_, options) => {
    const { clock, polledAt } = await started(options);
    await clock.settle();
    expect(polledAt).toEqual([0]);
  });
});
