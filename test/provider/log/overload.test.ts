import { expect, it } from 'vitest';
import { Overload } from '../../../src/provider/log.js';
import { manualClock } from '../../clock.fixture.js';
import { recordingLogger } from '../open.fixture.js';

function setUp() {
  const clock = manualClock();
  const logger = recordingLogger();
  const flipt = { isSick: false };
  const overload = new Overload(logger, () => flipt.isSick, clock);
  const shed = (questions: number) => {
    overload.shed('late', questions);
  };
  const lines = () => logger.warn.mock.calls.map(([line]) => String(line));
  return { clock, overload, flipt, shed, lines };
}

it('is one line when it lasts, and one with the numbers when it has ended', async () => {
  const { clock, overload, shed, lines } = setUp();
  for (let second = 0; second < 10; second++) {
    shed(10);
    overload.sent(30);
    await clock.advance(1_000);
  }
  expect(lines()).toEqual([expect.stringMatching(/^Flipt does not keep up; .*too late$/)]);
  expect(overload.since()).toBeDefined();
  await clock.advance(5_000);
  expect(lines()[1]).toBe('Flipt keeps up again; in 9 s, the provider did not send 100 of 400 questions');
  expect(overload.since()).toBeUndefined();
});

it('is not said where checks find meanwhile that Flipt is sick', async () => {
  const { clock, flipt, shed, lines } = setUp();
  shed(10);
  flipt.isSick = true;
  await clock.advance(20_000);
  expect(lines()).toEqual([]);
});

it('leaves no timer and says nothing after the close', async () => {
  const { clock, overload, shed, lines } = setUp();
  shed(1);
  expect(clock.timers('awaited')).toBe(0);
  overload.close();
  expect(clock.timers()).toBe(0);
  await clock.advance(10_000);
  expect(lines()).toEqual([]);
});
