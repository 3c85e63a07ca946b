import { describe, expect, it, vi } from 'vitest';
import { openDiagnostics } from '../../../src/model/events/reporter.js';
import { logHitRate } from '../../../src/provider/diagnostics/hit-rate-log.js';
import type { Question } from '../../../src/model/answer.js';
import { heapInUse } from '../../garbage.fixture.js';
import { question } from '../../remote/cache/questions.fixture.js';

function watched() {
  const warn = vi.fn<(message: string) => void>();
  const { listen, report, wants } = openDiagnostics();
  logHitRate({ listen }, { warn });
  const watch = {
    hit: () => {
      report({ type: 'hit' });
    },
    miss: (asked: Question) => {
      report({ type: 'miss', question: asked });
    },
  };
  return { warn, watch, wants };
}

const MB = 1024 * 1024;

const times = (count: number, run: (at: number) => void) => {
  for (let at = 0; at < count; at++) run(at);
};

describe('a low hit rate', () => {
  it('is logged once, after a thousand look-ups, with the attribute that differs most often', () => {
    const { warn, watch } = watched();
    const miss = (at: number) => {
      watch.miss(question('flag', 'u', { plan: 'pro', hour: String(at % 24), request: `r-${at}` }));
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
      watch.miss(question('flag', `u-${at}`));
    });
    times(hits, () => {
      watch.hit();
    });
    expect(warn).toHaveBeenCalledTimes(warnings);
  });

  it('is not blamed on an attribute that differs less often than the users do', () => {
    const { warn, watch } = watched();
    times(1000, (at) => {
      watch.miss(question('flag', `u-${at}`, { plan: `p-${at % 7}` }));
    });
    expect(warn).toHaveBeenCalledWith(
      'only 0 of the first 1000 look-ups were answered from the cache: ' +
        'nearly each look-up had another targetingKey (1000), as with many new users',
    );
  });

  it('is no problem if only the flags differ', () => {
    const { warn, watch } = watched();
    times(1000, (at) => {
      watch.miss(question(`flag-${at}`, 'u', { plan: 'pro' }));
    });
    expect(warn).not.toHaveBeenCalled();
  });

  it('is not logged if only the flags differ: each must be asked for', () => {
    const { warn, watch } = watched();
    times(1000, (at) => {
      watch.miss(question(`flag-${at}`, 'u', { plan: 'pro' }));
    });
    expect(warn).not.toHaveBeenCalled();
  });

  it('is watched only for the first thousand look-ups', () => {
    const { watch, wants } = watched();
    times(999, watch.hit);
    expect(wants).toMatchObject({ hit: true, 'stale-hit': true, joined: true, miss: true });
    watch.hit();
    expect(wants).toMatchObject({ hit: false, 'stale-hit': false, joined: false, miss: false });
  });

  it('is watched at little cost, however many attributes there are', () => {
    const { warn, watch } = watched();
    const names = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`n-${at}`, 'x']));
    times(1000, (at) => {
      watch.miss(question('flag', 'u', { ...names, 'n-0': String(at), zz: String(at) }));
    });
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('"n-0"'));
  });

  it('is watched without keeping the values themselves', () => {
    const { watch } = watched();
    const before = heapInUse();
    times(100, (at) => {
      watch.miss(question('flag', `${at}`.padEnd(MB, 'u'), { page: `${at}`.padEnd(MB, 'x') }));
    });
    expect(heapInUse() - before).toBeLessThan(20 * MB);
  });
});
