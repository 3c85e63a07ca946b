import { expect } from 'vitest';

/** Seconds of load; its assertions hold however many requests fit into them. */
const SECONDS = Number(process.env.LOAD_SECONDS ?? 1);

/**
 * All users at once, each asking again as soon as it is answered. `ask` returns what a user was told, flag by flag: it
 * must be the user's own name, in every answer.
 */
export async function crowd(
  users: readonly string[],
  ask: (user: string, round: number) => Promise<readonly unknown[]>,
): Promise<void> {
  const end = performance.now() + SECONDS * 1000;
  const one = async (user: string) => {
    for (let round = 0; round < 2 || performance.now() < end; round += 1) {
      const told = await ask(user, round);
      expect(new Set(told)).toEqual(new Set([user]));
    }
  };
  await Promise.all(users.map(one));
}
