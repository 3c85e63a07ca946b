import { describe, expect, it } from 'vitest';
import { simulated } from './simulated.fixture.js';

const FLAGS = Array.from({ length: 20 }, (_, at) => `flag-${at}`);
const HOUR_MS = 3_600_000;
const ACTIVE_EACH_MS = 10_000;
const CHANGE_EACH_MS = 600_000;
const MAX_AGE_MS = 600_000;
/** 1.2 intervals. */
const NOTICED_WITHIN_MS = 18_000;
/** The users of a group are active at the same moment; the groups follow each other. */
const GROUPS = 10;
const STEP_MS = ACTIVE_EACH_MS / GROUPS;

interface Hour {
  readonly users: number;
  readonly watched: boolean;
}

/** Every user asks for every flag every ten seconds, and every ten minutes another flag is switched. */
async function hour({ users, watched }: Hour) {
  const watch = watched ? { maxAgeMs: MAX_AGE_MS } : (false as const);
  const cache = { maxEntries: 50_000, maxBytes: 1024 ** 3 };
  const { clock, flags, it, changes, running, resolve, enabled } = await simulated(FLAGS, watch, cache);
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    Array.from({ length: users / GROUPS }, (_user, at) => `user-${group}-${at}`),
  );
  const changedAt = new Map<string, number>();
  let oldest = 0;
  const check = (flag: string, resolution: Parameters<typeof enabled>[0]) => {
    if (enabled(resolution) !== flags.get(flag))
      oldest = Math.max(oldest, clock.now() - (changedAt.get(flag) ?? 0));
  };
  /** The answers that must be asked for: new, changed, or too old ones. All users of a group ask at once. */
  let expected = 0;
  const askedAt = new Map<string, number>();
  let noticed = 0;
  const expectQuestions = (flag: string, group: number, count: number) => {
    const key = `${flag} ${group}`;
    const at = askedAt.get(key);
    if (at !== undefined && clock.now() - at < MAX_AGE_MS) return;
    askedAt.set(key, clock.now());
    expected += count;
  };

  for (let step = 0; clock.now() < HOUR_MS; step++) {
    if (step > 0 && clock.now() % CHANGE_EACH_MS === 0) {
      const flag = FLAGS[clock.now() / CHANGE_EACH_MS] ?? '';
      flags.set(flag, false);
      changedAt.set(flag, clock.now());
    }
    for (; noticed < changes.length; noticed++) {
      const dropped = new Set(changes[noticed]);
      for (const key of askedAt.keys()) if (dropped.has(key.split(' ')[0] ?? '')) askedAt.delete(key);
    }
    const active = groups[step % GROUPS] ?? [];
    for (const flag of FLAGS) expectQuestions(flag, step % GROUPS, active.length);
    for (const user of active) {
      for (const flag of FLAGS) {
        const resolution = resolve(flag, user);
        if (resolution instanceof Promise)
          void resolution.then((later) => {
            check(flag, later);
          });
        else check(flag, resolution);
      }
    }
    await clock.advance(STEP_MS);
  }
  const { questions, snapshots, bodies } = it;
  await running.close();
  return { questions, expected, snapshots, bodies, changes, oldest, timers: clock.timers() };
}

describe('one hour, a change every ten minutes', { timeout: 240_000 }, () => {
  it('asks what is new, what has changed and what has reached maxAgeMs, and nothing else', async () => {
    const { questions, expected, snapshots, bodies, changes, oldest, timers } = await hour({
      users: 200,
      watched: true,
    });

    expect(questions).toBe(expected);
    expect(changes).toEqual(FLAGS.slice(1, 6).map((flag) => [flag]));
    // The first one, one for each change, and one for each time that the ETag has said nothing new for eight minutes.
    expect(bodies).toBe(1 + 5 + 6);
    expect(snapshots).toBe(HOUR_MS / 15_000 + 1);
    expect(oldest).toBeLessThanOrEqual(NOTICED_WITHIN_MS);
    expect(timers).toBe(0);
  });

  it('asks more than 20 times as much without the watch', async () => {
    const users = 20;
    const [without, watched] = [await hour({ users, watched: false }), await hour({ users, watched: true })];

    expect(without.snapshots).toBe(0);
    expect(without.questions).toBeGreaterThan(20 * watched.questions);
  });
});
