import { expect } from 'vitest';

/** How often each user asks: as often as two idle cores managed in a second. More make a longer load. */
const ROUNDS = Number(process.env.LOAD_ROUNDS ?? 3);

/**
 * All users at once, each asking again as soon as it is answered. `ask` returns what a user got, flag by flag: it
 * must be the user's own name, in every answer.
 */
export async function crowd(
  users: readonly string[],
  ask: (user: string, round: number) => Promise<readonly unknown[]>,
): Promise<void> {
  const one = async (user: string) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await ask(user, round);
      expect(new Set(answers)).toEqual(new Set([user]));
    }
  };
  await Promise.all(users.map(one));
}
