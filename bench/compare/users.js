/** The users, and the flags that they ask for. Attributes are text, because Flipt's OFREP refuses others. */
export const FLAGS = Array.from({ length: 10 }, (_, n) => `flag-${n}`);
export const KNOWN = Array.from({ length: 20 }, (_, n) => user(n));
export const NEW = Array.from({ length: 20 }, (_, n) => user(n + 20));

function user(n) {
  return {
    targetingKey: `user-${n}`,
    plan: ['free', 'pro', 'team'][n % 3],
    country: ['de', 'fr', 'us', 'jp'][n % 4],
  };
}
