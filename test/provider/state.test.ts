import { OpenFeatureEventEmitter, ProviderEvents } from '@openfeature/server-sdk';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../src/model/events/flipt-event.js';
import { State, type ProviderState } from '../../src/provider/state.js';
import { endedWords } from '../../src/provider/log.js';
import { manualClock } from '../clock.fixture.js';
import { inMemory, well } from '../in-process/in-memory.fixture.js';
import { changingProblems, REFUSED } from './problems.fixture.js';

const NAMES = {
  [ProviderEvents.Ready]: 'ready',
  [ProviderEvents.Stale]: 'stale',
  [ProviderEvents.Error]: 'error',
} as const;

function setUp(knowsAnything = false, hasSnapshot = () => false) {
  const { heard, problems, begin, end } = changingProblems();
  const events = new OpenFeatureEventEmitter();
  const told: [ProviderState, string | undefined][] = [];
  for (const event of [ProviderEvents.Ready, ProviderEvents.Stale, ProviderEvents.Error] as const)
    events.addHandler(event, (details) => told.push([NAMES[event], details?.message]));
  const state = new State(events, manualClock());
  state.begin({ problems, hasSnapshot, knowsAnything: () => knowsAnything });
  heard.push((before, after) => {
    state.update(endedWords(before, after, false));
  });
  const polled = () => {
    state.update();
  };
  return { state, told, states: () => told.map(([name]) => name), begin, end, polled };
}

describe('the state of a provider', () => {
  it.each<[string, boolean, readonly Problem[], ProviderState[]]>([
    ['is an error while the service was never reached', false, ['unreachable'], ['error']],
    ['is stale during an outage, where answers are known', true, ['unreachable'], ['stale']],
    [
      'is stale while the credentials are rejected, where answers are known',
      true,
      ['credentials-rejected'],
      ['stale'],
    ],
    [
      'is an error while the credentials are rejected, where none is known',
      false,
      ['credentials-rejected'],
      ['error'],
    ],
    ['is stale if only the watch is lost, even where no answer is known', false, ['watch-lost'], ['stale']],
    [
      'is an error if the watch is lost because of an outage',
      false,
      ['watch-lost', 'unreachable'],
      ['stale', 'error'],
    ],
    ['changes once, however many problems there are', false, ['unreachable', 'watch-lost'], ['error']],
  ])('%s', (_, knowsAnything, problems, expected) => {
    const { begin, end, states } = setUp(knowsAnything);
    for (const problem of problems) begin(problem);
    expect(states()).toEqual(expected);
    end(...problems);
    expect(states()).toEqual([...expected, 'ready']);
  });

  it('improves step by step', () => {
    const { begin, end, states } = setUp(false);
    begin('watch-lost');
    begin('unreachable');
    end('unreachable');
    end('watch-lost');
    expect(states()).toEqual(['stale', 'error', 'stale', 'ready']);
  });

  it('comes with the message of the failure', () => {
    const { begin, end, told } = setUp();
    begin('unreachable');
    end('unreachable');
    expect(told).toEqual([
      ['error', 'refused'],
      ['ready', 'Flipt answers again'],
    ]);
  });

  it('is stale after the first snapshot has come in the middle of an outage', () => {
    let hasSnapshot = false;
    const { begin, polled, told } = setUp(false, () => hasSnapshot);
    begin('unreachable');
    polled();
    hasSnapshot = true;
    polled();
    polled();
    expect(told).toEqual([
      ['error', 'refused'],
      ['stale', 'refused'],
    ]);
  });

  it('is not announced before the outcome of the start', async () => {
    const { begin, end, state, states } = setUp(false, () => true);
    let ended = (): void => undefined;
    const starting = state.start(async () => {
      await new Promise<void>((resolve) => (ended = resolve));
      return undefined;
    });
    begin('unreachable', REFUSED, true);
    end('unreachable');
    ended();
    expect(await starting).toBeUndefined();
    expect(states()).toEqual([]);
  });

  it.each([
    ['watch-lost', 'The provider sees changes of flags again'],
    ['flags-lost', 'Flipt serves flags again'],
  ] as const)('is stale with %s, and says why, and how it ended', (problem, words) => {
    const { begin, end, told } = setUp(false, () => true);
    begin(problem);
    end(problem);
    expect(told).toEqual([
      ['stale', 'refused'],
      ['ready', words],
    ]);
  });

  it('comes again with the new reason if another problem is the worst one now', () => {
    const { begin, end, told, state } = setUp(false, () => true);
    begin('unreachable');
    begin('flags-lost', { kind: 'flags-lost', message: 'no flags' });
    end('unreachable');
    begin('watch-lost', { ...REFUSED, message: '500' });
    end('flags-lost');
    expect(told.map(([, message]) => message)).toEqual(['refused', 'no flags', '500']);
    begin('watch-lost', REFUSED);
    expect(told).toHaveLength(3);
    expect(state.current().why).toBe('refused');
  });

  it('is stale once where polls and checks notice one outage at two times', () => {
    const { begin, states } = setUp(true);
    begin('watch-lost');
    begin('unreachable');
    expect(states()).toEqual(['stale']);
  });
});

it('is an error once the last known answer has expired in an outage, without a watch, too', async () => {
  const made = inMemory({ watch: false, cache: { staleOnErrorForMs: 60_000 } }, well(true));
  const { clock, ended, events, life, resolve, service } = made;
  const told: string[] = [];
  for (const event of [ProviderEvents.Stale, ProviderEvents.Error, ProviderEvents.Ready] as const)
    events.addHandler(event, () => told.push(NAMES[event]));
  await ended(life.start());
  await ended(resolve());
  await clock.advance(40_000);
  service.answering = () => 500;
  for (const seconds of [10, 80]) {
    await ended(resolve('other'));
    await clock.advance(seconds * 1_000);
  }
  expect([told, life.status().condition]).toEqual([['stale', 'error'], 'error']);
  service.answering = well(true);
  await clock.advance(20_000);
  expect(life.status().condition).toBe('ready');
  await ended(life.close());
});
