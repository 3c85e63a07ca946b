import { expect } from 'vitest';

/** How many requests of each user are under way at once: 200 for 100 users. */
const ROUNDS = Number(process.env.LOAD_ROUNDS ?? 2);

/** Makes all users ask at once. `ask` returns the answer for each flag, which must be the user's own name. */
export async function crowd(
  users: readonly string[],
  ask: (user: string, round: number) => Promise<readonly unknown[]>,
): Promise<void> {
  const asked = users.flatMap((user) =>
    Array.from({ length: ROUNDS }, async (_, round) => {
      expect(new Set(await ask(user, round))).toEqual(new Set([user]));
    }),
  );
  await Promise.all(asked);
}
