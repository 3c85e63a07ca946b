import { describe, expect, it } from 'vitest';
import { fickleFlipt, fickleLife, LOSSES } from './fickle.fixture.js';

/** This is 1.2 intervals, so that a poll comes within this time. */
const POLL_MS = 18_000;

describe.each(['remote', 'in-process'] as const)('%s, what the log and the events say', (evaluation) => {
  it('once Flipt has said for long enough that its only flag is gone', async () => {
    const flipt = fickleFlipt();
    flipt.flags = ['a'];
    const life = await fickleLife(flipt, { evaluation, cache: { staleOnErrorForMs: 20_000 } });
    flipt.state = 'empty';
    await life.passes(3 * POLL_MS);
    expect(life.lines('error').slice(1)).toEqual([
      expect.stringMatching(
        /^The namespace "default" has had no flags for 20 s \(cache\.staleOnErrorForMs\), so its flag is gone, and calls get their defaults: check /,
      ),
    ]);
    expect(life.said.at(-1)).toBe('PROVIDER_READY: The namespace is empty');
  });

  it('at a start without a saved snapshot, if Flipt does not know the namespace', async () => {
    const flipt = fickleFlipt();
    flipt.state = 'unknown';
    const life = await fickleLife(flipt, { evaluation });
    await life.passes(POLL_MS);
    expect(life.lines('warn')[0]).toMatch(
      /^Flipt does not know the namespace "default" \(.* Flipt has not loaded its flags: look into Flipt's log, and lint/,
    );
    expect(life.lines('info')).toEqual([
      expect.stringMatching(
        /^There is no snapshot until Flipt knows the namespace; cached answers expire by their age: /,
      ),
    ]);
    const before = life.lines('warn').length;
    flipt.state = 'good';
    await life.passes(2 * POLL_MS);
    const known = 'Flipt has flags in the namespace "default" now';
    expect(life.lines('warn').slice(before)).toEqual(
      evaluation === 'remote' ? [known] : [known, 'There is a snapshot now, and flags are evaluated from it'],
    );
  });

  it('when Flipt answers again, but gives no snapshot for another reason', async () => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    flipt.state = 'down';
    await life.passes(5 * POLL_MS);
    const { since } = life.lifecycle.status();
    flipt.state = 'unwatchable';
    await life.passes(3 * POLL_MS);
    expect(life.problems()).toEqual(['watch-lost']);
    expect(life.lifecycle.status()).toMatchObject({
      since,
      why: expect.stringContaining('500: disk') as string,
    });
  });
});

it.each(LOSSES)('%s, once invalidate() has accepted that nothing is left (%s)', async (evaluation, lost) => {
  const flipt = fickleFlipt();
  const life = await fickleLife(flipt, { evaluation });
  flipt.state = lost;
  await life.passes(POLL_MS);
  life.lifecycle.forget();
  await life.clock.settle();
  await life.passes(5 * POLL_MS);
  expect(life.lines('warn')).toEqual([
    'The namespace "default" is empty, as invalidate() has accepted; its 2 flags are gone',
  ]);
  expect(life.lines('info').filter((line) => line.startsWith('Flags have changed'))).toEqual([]);
  expect(life.said.filter((line) => line.startsWith('PROVIDER_READY'))).toEqual([
    'PROVIDER_READY: The namespace is empty',
  ]);
});

it.each(LOSSES)(
  '%s, when Flipt comes back from an outage without its flags (%s)',
  async (evaluation, lost) => {
    const flipt = fickleFlipt();
    const life = await fickleLife(flipt, { evaluation });
    flipt.state = 'down';
    await life.passes(5 * POLL_MS, 1_000, ['a']);
    expect(life.lifecycle.status().why).toContain('down');
    flipt.state = lost;
    await life.passes(3 * POLL_MS, 1_000, ['a']);
    expect(life.problems()).toEqual(['flags-lost', 'watch-lost']);
    expect(life.lifecycle.status().why).toContain('has served 2 flags before');
    expect(life.said.at(-1)).toMatch(/^PROVIDER_STALE: .* has served 2/);
    expect(life.lines('warn').filter((line) => line === 'Flipt answers again')).toHaveLength(1);
    expect(life.lines('error')).toHaveLength(1);
  },
);

it.each(LOSSES)('%s, while Flipt has lost its flags, is one line (%s)', async (evaluation, lost) => {
  const flipt = fickleFlipt();
  const life = await fickleLife(flipt, { evaluation });
  flipt.state = lost;
  await life.passes(5 * POLL_MS);
  expect(life.problems()).toEqual(['flags-lost', 'watch-lost']);
  expect(life.lines('error')).toHaveLength(1);
  expect(life.lines('warn')).toEqual([]);
  flipt.state = 'good';
  await life.passes(POLL_MS);
  expect(life.lines('warn')).toEqual(['Flipt serves flags again']);
});
