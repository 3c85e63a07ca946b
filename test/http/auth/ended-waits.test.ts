import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { replied, REQUEST, sending } from '../outcomes.fixture.js';
import { authorizedWith } from './credentials.fixture.js';

const OK = replied(200);
const REFUSED = replied(401);

describe('a signal', () => {
  const pending = () => new Promise<never>(() => undefined);

  it('ends the wait for credentials, and nothing is sent', async () => {
    const { send, sent } = sending(OK);
    const giveUp = new AbortController();
    const asking = authorizedWith(send, { headers: pending });
    const ended = asking({ ...REQUEST, signal: giveUp.signal });
    giveUp.abort();
    expect(await ended).toMatchObject({ kind: 'closed' });
    expect(await asking({ ...REQUEST, signal: giveUp.signal })).toMatchObject({ kind: 'closed' });
    expect(sent).toEqual([]);
    expect(getEventListeners(giveUp.signal, 'abort')).toHaveLength(0);
  });

  it('ends the wait for new credentials after a 401, which is then returned', async () => {
    const giveUp = new AbortController();
    const { send, sent } = sending(REFUSED);
    let times = 0;
    const headers = () => {
      if (++times === 1) return { 'x-token': 'dummy' };
      giveUp.abort();
      return pending();
    };
    const asking = authorizedWith(send, { headers });
    expect(await asking({ ...REQUEST, signal: giveUp.signal })).toBe(REFUSED);
    expect(sent).toHaveLength(1);
  });

  it('that is never aborted keeps no listener', async () => {
    const { signal } = new AbortController();
    const { send } = sending(OK);
    await authorizedWith(send, { token: 'dummy-token' })({ ...REQUEST, signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
