import { describe, expect, it, vi } from 'vitest';
import { logHitRate } from '../../../src/provider/diagnostics/hit-rate-log.js';
import { heapInUse } from '../../garbage.fixture.js';
import { subjectOf } from '../../remote/questions.fixture.js';

function watched() {
  const warn = vi.fn<(message: string) => void>();
  const looked = logHitRate({ warn });
  const watch = {
    hit: () => {
      looked(true, subjectOf('u'));
    },
    miss: (entity: string, attributes: Readonly<Record<string, string>> = {}) => {
      looked(false, subjectOf(entity, attributes));
    },
  };
  return { warn, watch };
}

const MB = 1024 * 1024;

const times = (count: number, run: (at: number) => void) => {
  for (let at = 0; at < count; at++) run(at);
};

describe('a low hit rate', () => {
  it('is logged once, after a thousand look-ups, with the attribute that differs most often', () => {
    const { warn, watch } = watched();
    const miss = (at: number) => {
      watch.miss('u', { plan: 'pro', hour: String(at % 24), request: `r-${at}` });
    };
    times(999, miss);
    expect(warn).not.toHaveBeenCalled();
    times(3000, (at) => {
      miss(999 + at);
    });
    expect(warn).toHaveBeenCalledOnce();
    expect(warn).toHaveBeenCalledWith(
      'only 0 of the first 1000 look-ups were answered from the cache: the context attribute "request" differs ' +
        'most often (1000 values). Unless a flag depends on this attribute, leave it out with attributes: { except: ["request"] }',
    );
  });

  it.each([
    [49, 1],
    [50, 0],
  ])('with %s hits of a thousand gives %s warnings', (hits, warnings) => {
    const { warn, watch } = watched();
    times(1000 - hits, (at) => {
      watch.miss(`u-${at}`);
    });
    times(hits, () => {
      watch.hit();
    });
    expect(warn).toHaveBeenCalledTimes(warnings);
  });

  it('is not blamed on an attribute that differs less often than the users do', () => {
    const { warn, watch } = watched();
    times(1000, (at) => {
      watch.miss(`u-${at}`, { plan: `p-${at % 7}` });
    });
    expect(warn).toHaveBeenCalledWith(
      'only 0 of the first 1000 look-ups were answered from the cache: ' +
        'nearly each look-up had another targetingKey (1000), as with many new users',
    );
  });

  it('is no problem if only the flags differ', () => {
    const { warn, watch } = watched();
    times(1000, () => {
      watch.miss('u', { plan: 'pro' });
    });
    expect(warn).not.toHaveBeenCalled();
  });

  it('is watched at little cost, however many attributes there are', () => {
    const { warn, watch } = watched();
    const names = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`n-${at}`, 'x']));
    times(1000, (at) => {
      watch.miss('u', { ...names, 'n-0': String(at), zz: String(at) });
    });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('"n-0"'));
  });

  it('is watched without keeping the values themselves', () => {
    const { watch } = watched();
    const before = heapInUse();
    times(100, (at) => {
      watch.miss(`${at}`.padEnd(MB, 'u'), { page: `${at}`.padEnd(MB, 'x') });
    });
    expect(heapInUse() - before).toBeLessThan(20 * MB);
  });
});
