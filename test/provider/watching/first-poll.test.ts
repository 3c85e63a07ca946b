import { describe, expect, it, onTestFinished } from 'vitest';
import type {
  FliptProviderOptions,
  HttpDispatcherRequest,
  HttpDispatcherResponse,
} from '../../../src/index.js';
import { providerSettings } from '../../../src/options/settings.js';
import { evaluateAll } from '../../../src/provider/evaluate/evaluate-many.js';
import { manualClock } from '../../clock.fixture.js';
import { recordingLogger } from '../open.fixture.js';
import { pipelineOf } from '../pipeline.fixture.js';
import { answerOfPath, failing, INITIAL } from './first-poll.fixture.js';

const USER = { targetingKey: 'ann' };

type Answer = (
  sent: HttpDispatcherRequest,
) => HttpDispatcherResponse | Promise<HttpDispatcherResponse> | undefined;

/** Makes a provider, and records when it asks for the snapshot. `answer` replaces some answers of its Flipt. */
function made(options: FliptProviderOptions = {}, answer: Answer = () => undefined) {
  const clock = manualClock();
  const polledAt: number[] = [];
  const events: string[] = [];
  const request = (sent: HttpDispatcherRequest) => {
    if (isPoll(sent)) {
      polledAt.push(clock.now());
      events.push('poll');
    }
    return Promise.resolve(answer(sent) ?? answerOfPath(sent));
  };
  const http = { dispatcher: { request }, retries: 0 };
  const settings = providerSettings(
    { url: 'http://flipt.test', logger: recordingLogger(), ...options, http },
    {},
  );
  const pipeline = pipelineOf(settings, clock, () => 0.5);
  onTestFinished(() => pipeline.close());
  /** Evaluates a flag. The result is complete when the clock has settled. */
  const evaluate = (flag: string) => {
    const got: { kind?: string } = {};
    void Promise.resolve(pipeline.evaluate(flag, USER)).then(({ answer: { kind } }) => {
      got.kind = kind;
      events.push(kind);
    });
    return got;
  };
  return { clock, polledAt, events, pipeline, evaluate };
}

const isPoll = ({ path }: HttpDispatcherRequest) => path.startsWith('/internal/v1/evaluation/snapshot/');

async function started(options?: FliptProviderOptions, answer?: Answer) {
  const it = made(options, answer);
  const starting = it.pipeline.start();
  await it.clock.settle();
  await starting;
  return it;
}

describe('the first poll', () => {
  it('comes just after the first answer in remote mode, and does not delay this answer', async () => {
    const { clock, polledAt, events, evaluate } = await started();
    await clock.advance(10);
    expect(polledAt).toEqual([]);
    evaluate('on');
    await clock.settle();
    expect(events).toEqual(['boolean', 'poll']);
    await clock.advance(15_000);
    expect(polledAt).toEqual([10, 15_010]);
  });

  it('comes 250 ms after the start in remote mode if no flag is evaluated', async () => {
    const { clock, polledAt } = await started();
    await clock.advance(249);
    expect(polledAt).toEqual([]);
    await clock.advance(1);
    expect(polledAt).toEqual([250]);
    await clock.advance(15_000);
    expect(polledAt).toEqual([250, 15_250]);
  });

  it('comes at once if the app asks for it, even while the provider is starting', async () => {
    const { clock, polledAt, pipeline } = made();
    void pipeline.start();
    const refreshed = pipeline.refresh();
    await clock.settle();
    await refreshed;
    expect(polledAt).toEqual([0]);
    await pipeline.refresh();
    await clock.advance(14_999);
    expect(polledAt).toEqual([0]);
  });

  it('comes at once if the keys of all flags are needed', async () => {
    const { clock, polledAt, pipeline } = await started({ deadlineMs: 200 });
    const evaluated = evaluateAll(pipeline, USER, undefined, clock);
    await clock.settle();
    expect(Object.keys(await evaluated)).toEqual(['on']);
    expect(polledAt).toEqual([0]);
  });

  it('comes at once, and only once, if something is invalidated', async () => {
    const { clock, polledAt, pipeline } = await started();
    await clock.advance(100);
    pipeline.forget(['on']);
    await clock.advance(1_000);
    expect(polledAt).toEqual([100]);
  });

  it('is not repeated before Flipt wants it, whatever the app asks for', async () => {
    const { clock, polledAt, pipeline, evaluate } = await started({}, (sent) =>
      isPoll(sent) ? failing(503, { 'retry-after': '60' }) : undefined,
    );
    evaluate('misspelt');
    await clock.settle();
    evaluate('misspelt-too');
    await clock.settle();
    await pipeline.refresh();
    await clock.advance(59_000);
    expect(polledAt).toEqual([0]);
  });

  it('does not come after the close, which leaves no timer', async () => {
    const { clock, polledAt, pipeline } = await started();
    const closing = pipeline.close();
    await clock.settle();
    await closing;
    expect(clock.timers()).toBe(0);
    await clock.advance(1_000);
    expect(polledAt).toEqual([]);
  });

  it.each<[string, FliptProviderOptions]>([
    ['evaluation: in-process', { evaluation: 'in-process' }],
    ['snapshot.initial', { snapshot: { initial: INITIAL } }],
    [
      'an empty store, so that a process that ends soon usually saves a snapshot',
      { snapshot: { store: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() } } },
    ],
    ['watch.stream', { watch: { stream: true } }],
  ])('comes at once with %s', async (_, options) => {
    const { clock, polledAt } = await started(options);
    await clock.settle();
    expect(polledAt).toEqual([0]);
  });
});
