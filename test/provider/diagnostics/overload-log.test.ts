import { expect, it, vi } from 'vitest';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import { logOverload } from '../../../src/provider/diagnostics/overload-log.js';
import { manualClock } from '../../clock.fixture.js';

function setUp() {
  const clock = manualClock();
  const diagnostics = openDiagnostics();
  const warn = vi.fn<(message: string) => void>();
  logOverload(diagnostics, { warn }, clock);
  const shed = (questions: number) => {
    diagnostics.report({ type: 'shed', reason: 'late', questions });
  };
  const sent = (items: number) => {
    diagnostics.report({ type: 'batch-sent', items, bytes: 1 });
  };
  const lines = () => warn.mock.calls.map(([line]) => line);
  return { clock, diagnostics, shed, sent, lines };
}

const BEGIN =
  'Flipt does not keep up; some calls get last known values or their defaults: Flipt answers batch.maxConcurrent requests at once too slowly for deadlineMs';

it('warns once when questions begin to be shed, and once when that has ended, with the share', async () => {
  const { clock, shed, sent, lines } = setUp();
  for (let second = 0; second < 10; second++) {
    shed(10);
    sent(30);
    await clock.advance(1_000);
  }
  expect(lines()).toEqual([BEGIN]);
  await clock.advance(5_000);
  const end = 'Flipt keeps up again; in 9 s, the provider did not send 28 % of the questions (100 of 370)';
  expect(lines()).toEqual([BEGIN, end]);
  await clock.advance(60_000);
  shed(1);
  expect(lines()).toEqual([BEGIN, end, BEGIN]);
});

it('counts questions that were sent while the first shed one waited', async () => {
  const { clock, shed, sent, lines } = setUp();
  sent(1_000);
  await clock.advance(5_000);
  sent(60);
  await clock.advance(900);
  sent(20);
  shed(20);
  await clock.advance(5_000);
  expect(lines()[1]).toBe(
    'Flipt keeps up again; in 1 s, the provider did not send 20 % of the questions (20 of 100)',
  );
});

it('counts what was sent in the second before, whenever that second began', async () => {
  const { clock, shed, sent, lines } = setUp();
  sent(0);
  await clock.advance(999);
  sent(80);
  await clock.advance(1);
  shed(20);
  await clock.advance(5_000);
  expect(lines()[1]).toBe(
    'Flipt keeps up again; in 1 s, the provider did not send 20 % of the questions (20 of 100)',
  );
});

it('counts nothing that was sent long before', async () => {
  const { clock, shed, sent, lines } = setUp();
  sent(1_000);
  await clock.advance(2_000);
  shed(20);
  await clock.advance(5_000);
  expect(lines()[1]).toBe(
    'Flipt keeps up again; in 1 s, the provider did not send 100 % of the questions (20 of 20)',
  );
});

it('leaves no timer and says nothing after it has closed', async () => {
  const { clock, diagnostics, shed, lines } = setUp();
  shed(1);
  expect(clock.timers('awaited')).toBe(0);
  diagnostics.report({ type: 'closed' });
  expect(clock.timers()).toBe(0);
  shed(1);
  await clock.advance(10_000);
  expect(lines()).toEqual([BEGIN]);
});
