import { expect, it } from 'vitest';
import { simulated } from './simulated.fixture.js';

it('answers that contradict a snapshot whose tag lies make a poll fetch a whole one, for everybody', async () => {
  const { clock, flags, it: service, resolve, enabled, running } = await simulated(['sale'], {});
  const isOn = async (user: string) => {
    const resolving = resolve('sale', user);
    await clock.advance(1);
    return enabled(await resolving);
  };
  service.tag = 'the-same';
  await clock.advance(60_000);
  // An answer that the snapshot confirms is fresh until the flag changes.
  expect(await isOn('known')).toBe(true);
  await clock.advance(20_000);
  flags.set('sale', false);
  await clock.advance(20_000);
  expect([await isOn('known'), await isOn('new')]).toEqual([true, false]);
  // One poll shows that the contradiction stands, and the next one fetches the snapshot.
  await clock.advance(2 * 18_000);
  expect(await isOn('known')).toBe(false);
  const question = { namespace: 'default', flag: 'sale', entity: '', attributes: {} };
  expect(running.snapshots?.opened().evaluate(question)).toMatchObject({ enabled: false });
  const { bodies } = service;
  await clock.advance(120_000);
  expect(service.bodies).toBe(bodies);
  await running.close();
});
