import { expect, it } from 'vitest';
import type { FailureKind } from '../../../src/model/failure.js';
import type { Problem } from '../../../src/model/events/flipt-event.js';
import { endedWords, logProblems } from '../../../src/provider/log.js';
import { manualClock } from '../../clock.fixture.js';
import { recordingLogger } from '../open.fixture.js';
import { changingProblems } from '../problems.fixture.js';

function setUp(evaluation: 'remote' | 'in-process' = 'remote') {
  const { heard, begin, end } = changingProblems();
  const logger = recordingLogger();
  const clock = manualClock();
  const log = logProblems({ evaluation, cache: undefined, logger }, () => 'Users keep their flags', clock);
  heard.push((before, after) => {
    log.changed(before, after, endedWords(before, after, false));
  });
  const lines = () => [...logger.error.mock.calls, ...logger.warn.mock.calls].map(([line]) => String(line));
  return { begin, end, lines, clock };
}

it.each<[Problem, FailureKind, string]>([
  ['unreachable', 'connection', 'Flipt cannot be reached (why)'],
  ['unreachable', 'timeout', 'Flipt cannot be reached (why)'],
  ['unreachable', 'unreadable', 'Flipt does not answer as it should (why)'],
  ['credentials-rejected', 'unauthorized', 'Flipt rejected the credentials (why)'],
  ['credentials-rejected', 'credentials', 'There are no credentials to send to Flipt (why)'],
])('%s by %s is one line when it begins, and one when it ends', (problem, kind, words) => {
  const { begin, end, lines } = setUp();
  for (let time = 0; time < 3; time++) begin(problem, { kind, message: 'why' });
  expect(lines()).toEqual([`${words}. Users keep their flags`]);
  for (let time = 0; time < 3; time++) end(problem);
  expect(lines().slice(1)).toEqual(['Flipt answers again']);
});

it('the end of an outage is no all-clear if the flags are lost', () => {
  const { begin, end, lines } = setUp();
  begin('unreachable');
  begin('flags-lost');
  end('unreachable');
  expect(lines().at(-1)).toBe('Flipt answers again, but without its flags');
});

it('an outage that polls notice first is one line, and one when it ends', async () => {
  const { begin, end, lines, clock } = setUp();
  begin('watch-lost');
  await clock.advance(2_000);
  begin('unreachable');
  await clock.advance(60_000);
  expect(lines()).toEqual(['Flipt cannot be reached (refused). Users keep their flags']);
  end('unreachable');
  await clock.advance(1_000);
  end('watch-lost');
  await clock.advance(60_000);
  expect(lines().slice(1)).toEqual(['Flipt answers again']);
});

it.each([
  ['remote', 'cached answers expire by their age'],
  ['in-process', 'it evaluates flags from the last snapshot'],
] as const)('where only polls fail, the watch is said to be lost: %s', async (evaluation, words) => {
  const { begin, end, lines, clock } = setUp(evaluation);
  begin('watch-lost');
  await clock.advance(60_000);
  const lost = `The provider cannot see changes of flags at present; ${words}: refused`;
  expect(lines()).toEqual([lost]);
  end('watch-lost');
  expect(lines()).toEqual([lost, 'The provider sees changes of flags again']);
  expect(clock.timers()).toBe(0);
});

it('flags-lost is an error that says what to do, and a warning when it ends', () => {
  const { begin, end, lines } = setUp();
  begin('flags-lost', { kind: 'flags-lost', message: 'why' });
  expect(lines()).toEqual([
    expect.stringMatching(
      /^Flipt has lost its flags \(why\)\. Users keep those .* for 3600 s \(cache\.staleOnErrorForMs\)\. .* provider\.invalidate\(\) in each instance$/,
    ),
  ]);
  end('flags-lost');
  expect(lines().slice(1)).toEqual(['Flipt serves flags again']);
});
