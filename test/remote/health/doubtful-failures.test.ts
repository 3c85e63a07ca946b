import { describe, expect, it } from 'vitest';
import { replied } from '../../http/outcomes.fixture.js';
import { DOWN, REJECTED, setUp, UNAVAILABLE } from './healthy.fixture.js';

const ANSWERED = replied(200);

/** A request is answered, and after that all requests fail. */
async function failing() {
  const setup = setUp([ANSWERED, UNAVAILABLE]);
  await setup.ask();
  return setup;
}

describe('while requests are answered, failures of others', () => {
  it('open the circuit if a check, which has no context, fails as well', async () => {
    const { ask, checkedAt, states } = await failing();
    await ask(2);
    expect([checkedAt, states]).toEqual([[], []]);
    await ask();
    expect([checkedAt, states]).toEqual([[0], ['open']]);
  });

  it('do not open it if the check passes, or shows that the service responds', async () => {
    for (const outcome of [undefined, REJECTED]) {
      const { check, ask, service } = await failing();
      check.mockResolvedValue(outcome);
      await ask(30);
      expect(check).toHaveBeenCalledOnce();
      expect(service.refusal()).toBeUndefined();
    }
  });

  it('cause one check a second at most', async () => {
    const { clock, check, ask, checkedAt, states } = await failing();
    check.mockResolvedValue(undefined);
    await ask(30);
    await clock.advance(999);
    await ask(30);
    expect(checkedAt).toEqual([0]);
    check.mockResolvedValue(DOWN);
    await clock.advance(1);
    await ask(3);
    expect([checkedAt, states]).toEqual([[0, 1_000], ['open']]);
  });

  it('open it without a check 10 s after the last answer', async () => {
    const { clock, ask, checkedAt, states } = await failing();
    await clock.advance(10_000);
    await ask(3);
    expect([checkedAt, states]).toEqual([[], ['open']]);
  });

  it('open it without another check if one has shown that the service fails', async () => {
    const { check, service, states } = await failing();
    for (let time = 0; time < 3; time++) service.serviceFailed({ kind: 'service-error', message: 'failed' });
    expect([check.mock.calls.length, states]).toEqual([0, ['open']]);
  });

  it('open it without another check if that of a search has failed since the last answer', async () => {
    const { clock, ask, checkedAt, service, states } = setUp([ANSWERED, ANSWERED, UNAVAILABLE]);
    await ask();
    await clock.advance(1);
    await service.check();
    await clock.advance(1);
    // What a check has shown before an answer counts no longer.
    await ask(4);
    expect([checkedAt, states]).toEqual([[1, 2], ['open']]);

    const searched = await failing();
    await searched.clock.advance(1);
    await searched.service.check();
    await searched.ask(3);
    expect([searched.checkedAt, searched.states]).toEqual([[1], ['open']]);
  });
});
