import { describe, expect, it, vi } from 'vitest';
import { providerHealth, type Problem, type Condition } from '../../src/availability/health.js';
import type { Failure } from '../../src/model/failure.js';

const failure: Failure = { kind: 'connection', message: 'refused' };

function setUp(knowsAnything = false) {
  const changed = vi.fn<(condition: Condition, message: string) => void>();
  const logger = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const health = providerHealth({ knowsAnything: () => knowsAnything, changed, logger });
  const conditions = () => changed.mock.calls.map(([condition]) => condition);
  return { health, conditions, changed, logger };
}

describe('the condition of a provider', () => {
  it.each<[string, boolean, readonly Problem[], Condition[]]>([
    ['is an error while it never reached the service', false, ['unreached'], ['error']],
    ['is an error while its credentials are refused', true, ['refused'], ['error']],
    ['is stale during an outage, where answers are known', true, ['failing'], ['stale']],
    ['is an error during an outage, where none is known', false, ['failing'], ['error']],
    ['is an error in an outage with refused credentials', true, ['failing', 'refused'], ['stale', 'error']],
    ['is told once, however much ails it', false, ['unreached', 'failing', 'refused'], ['error']],
  ])('%s', (_, knowsAnything, problems, expected) => {
    const { health, conditions } = setUp(knowsAnything);
    for (const problem of problems) health.raise(problem, failure);
    expect(conditions()).toEqual(expected);
    health.clear(...problems);
    expect(conditions()).toEqual([...expected, 'ready']);
  });

  it('improves step by step', () => {
    const { health, conditions } = setUp(true);
    health.raise('failing', failure);
    health.raise('refused', failure);
    health.clear('refused');
    health.clear('failing');
    expect(conditions()).toEqual(['stale', 'error', 'stale', 'ready']);
  });

  it('is told with what went wrong', () => {
    const { health, changed } = setUp();
    health.raise('unreached', failure);
    expect(changed).toHaveBeenLastCalledWith('error', 'refused');
    health.clear('unreached');
    expect(changed).toHaveBeenLastCalledWith('ready', 'Flipt answers again');
  });
});

describe('a problem', () => {
  it('that follows from another is said no louder than for debugging, and one end is said for both', () => {
    const { health, logger } = setUp();
    health.raise('unreached', failure);
    health.raise('failing', failure);
    health.clear('failing');
    expect(logger.warn).toHaveBeenCalledOnce();
    health.clear('unreached');
    expect(logger.warn.mock.calls.at(-1)).toEqual(['Flipt answers again']);
    expect(logger.warn).toHaveBeenCalledTimes(2);
  });

  it.each<Problem>(['unreached', 'refused', 'failing'])(
    '%s is logged once at its start, once at its end',
    (problem) => {
      const { health, logger } = setUp();
      for (let time = 0; time < 3; time++) health.raise(problem, failure);
      expect(logger.warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^Flipt .*: refused$/));
      expect(health.has(problem)).toBe(true);
      for (let time = 0; time < 3; time++) health.clear(problem);
      expect(logger.warn).toHaveBeenCalledTimes(2);
      expect(health.has(problem)).toBe(false);
      for (const level of ['error', 'info', 'debug'] as const) expect(logger[level]).not.toHaveBeenCalled();
    },
  );

  it.each<[Problem, Failure['kind'], RegExp]>([
    ['unreached', 'timeout', /^Flipt cannot be reached; /],
    ['unreached', 'not-found', /^Flipt does not answer as it should; /],
    ['unreached', 'unreadable', /^Flipt does not answer as it should; /],
    ['refused', 'unauthorized', /^Flipt accepts no credentials of ours; /],
    ['refused', 'credentials', /^There are no credentials to send to Flipt; /],
  ])('%s by a failure of kind %s is logged as what it is', (problem, kind, expected) => {
    const { health, logger } = setUp();
    health.raise(problem, { kind, message: 'why' });
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(expected));
  });

  it('that is over while another is left is said for debugging only', () => {
    const { health, logger } = setUp();
    health.raise('unreached', failure);
    health.raise('refused', failure);
    health.clear('unreached');
    expect(logger.debug).toHaveBeenLastCalledWith(expect.stringMatching(/unreached|reach/));
  });

  it('that there was not is not cleared', () => {
    const { health, changed, logger } = setUp();
    health.clear('unreached', 'refused', 'failing');
    expect(changed).not.toHaveBeenCalled();
    expect(logger.warn).not.toHaveBeenCalled();
  });
});
