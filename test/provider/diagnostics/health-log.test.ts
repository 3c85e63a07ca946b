import { describe, expect, it, vi } from 'vitest';
import type { Problem } from '../../../src/model/events/flipt-event.js';
import { logHealth } from '../../../src/provider/diagnostics/health-log.js';
import type { FailureKind } from '../../../src/model/failure.js';
import { changingProblems } from './problems.fixture.js';

function setUp() {
  const { diagnostics, heard, ...problems } = changingProblems();
  const logger = { error: vi.fn(), warn: vi.fn(), debug: vi.fn() };
  heard.push(logHealth(diagnostics, logger));
  return { logger, ...problems };
}

describe('a problem', () => {
  it.each<Problem>(['unreachable', 'credentials-rejected'])(
    '%s is logged once when it begins and once when it ends',
    (problem) => {
      const { begin, end, logger } = setUp();
      for (let time = 0; time < 3; time++) begin(problem);
      expect(logger.warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^.*Flipt.*: refused$/));
      for (let time = 0; time < 3; time++) end(problem);
      expect(logger.warn.mock.calls.slice(1)).toEqual([['Flipt answers again']]);
      expect(logger.debug).not.toHaveBeenCalled();
    },
  );

  it.each<[Problem, FailureKind, RegExp]>([
    ['unreachable', 'timeout', /^Flipt cannot be reached; calls get last known values or their defaults, /],
    [
      'unreachable',
      'not-found',
      /^Flipt does not answer as it should; calls get last known values or their defaults, /,
    ],
    ['unreachable', 'unreadable', /^Flipt does not answer as it should; /],
    ['credentials-rejected', 'unauthorized', /^Flipt rejected the credentials; /],
    ['credentials-rejected', 'credentials', /^There are no credentials to send to Flipt; /],
  ])('%s by a failure of kind %s is logged in words of its own', (problem, kind, expected) => {
    const { begin, logger } = setUp();
    begin(problem, { kind, message: 'why' });
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(expected));
  });

  it('flags-lost is an error that says what to do, and a warning when it ends', () => {
    const { begin, end, logger } = setUp();
    begin('flags-lost', { kind: 'flags-lost', message: 'why' });
    expect(logger.error).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^Flipt has lost its flags, .* provider\.invalidate\(\): why$/),
    );
    end('flags-lost');
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith('Flipt serves flags again');
  });

  it('watch-lost is left to the log of the watch, also where Flipt answers again before it is watched', () => {
    const { begin, end, logger } = setUp();
    begin('watch-lost');
    begin('unreachable');
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^Flipt cannot be reached/));
    end('unreachable');
    end('watch-lost');
    expect(logger.warn.mock.calls.slice(1)).toEqual([['Flipt answers again']]);
  });

  it('that ends while another one lasts is logged at debug level only', () => {
    const { begin, end, logger } = setUp();
    begin('unreachable');
    begin('credentials-rejected');
    end('unreachable');
    expect(logger.debug).toHaveBeenCalledExactlyOnceWith('Flipt can be reached');
    expect(logger.warn).toHaveBeenCalledTimes(2);
  });
});
