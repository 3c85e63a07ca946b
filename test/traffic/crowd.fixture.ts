import { expect } from 'vitest';

/**
 * How often each user asks. Two idle cores could answer this many in one second; more would only make the load longer.
 */
const ROUNDS = Number(process.env.LOAD_ROUNDS ?? 3);

/**
 * Makes all users ask at once; each asks again as soon as it has its answer. `ask` returns the answer for each flag,
 * which must be the user's own name.
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
