import { describe, expect, it } from 'vitest';
import { failed } from '../../../src/model/answer.js';
import {
  pinning,
  openRequestView,
  REQUEST_VIEW,
  requestViewOf,
} from '../../../src/provider/per-request/view.js';
import { manualClock } from '../../clock.fixture.js';
import { booleanAnswer, resolutionOf } from '../mapping/answers.fixture.js';

const on = resolutionOf(booleanAnswer({ enabled: true }));
const off = resolutionOf(booleanAnswer({ enabled: false }));
const failure = resolutionOf(failed({ kind: 'timeout', message: 'late' }));

function pinned() {
  const clock = manualClock();
  const view = openRequestView();
  return { clock, view, pinsOf: pinning(clock) };
}

describe("a request's view", () => {
  it('keeps the first answer, which then comes from the cache and grows older', async () => {
    const { clock, view, pinsOf } = pinned();
    expect(pinsOf(view)?.get('k')).toBeUndefined();
    expect(pinsOf(view)?.pin('k', { ...on, ageMs: 5 })).toEqual({ ...on, ageMs: 5 });
    await clock.advance(7);
    const again = { ...on, source: 'cache', ageMs: 12 };
    expect(pinsOf(view)?.get('k')).toEqual(again);
    expect(pinsOf(view)?.pin('k', off)).toEqual(again);
  });

  it('does not keep a failure', () => {
    const { view, pinsOf } = pinned();
    expect(pinsOf(view)?.pin('k', failure)).toBe(failure);
    expect(pinsOf(view)?.pin('k', on)).toBe(on);
  });

  it('knows nothing of another view', () => {
    const { view, pinsOf } = pinned();
    pinsOf(view)?.pin('k', on);
    expect(pinsOf(openRequestView())?.get('k')).toBeUndefined();
  });

  it('is over 30 s after its first question, however long it was open', async () => {
    const { clock, view, pinsOf } = pinned();
    await clock.advance(60_000);
    pinsOf(view)?.pin('k', on);
    await clock.advance(29_999);
    expect(pinsOf(view)?.get('k')).toBeDefined();
    await clock.advance(1);
    expect(pinsOf(view)).toBeUndefined();
  });

  it('keeps at most a thousand answers; others pass through', () => {
    const { view, pinsOf } = pinned();
    const pins = pinsOf(view);
    for (let at = 0; at < 1_001; at++) pins?.pin(`k-${at}`, on);
    expect(pins?.get('k-999')).toBeDefined();
    expect(pins?.get('k-1000')).toBeUndefined();
    expect(pins?.pin('k-1000', off)).toBe(off);
  });
});

describe('a context', () => {
  it('carries a view under a symbol that all copies of the package share', () => {
    const view = openRequestView();
    expect(requestViewOf({ [REQUEST_VIEW]: view })).toBe(view);
    expect(REQUEST_VIEW).toBe(Symbol.for('openfeature-flipt-provider.request-view'));
  });

  it.each([undefined, null, 5, 'view', {}])('that carries %s there carries no view', (value) => {
    expect(requestViewOf({ [REQUEST_VIEW]: value })).toBeUndefined();
  });

  it('usually carries none', () => {
    expect(requestViewOf({})).toBeUndefined();
  });
});
