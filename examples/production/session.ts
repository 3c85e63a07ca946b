import { createHmac, timingSafeEqual } from 'node:crypto';

/*
 * Stands for the sessions of your app. Your login checks the user's password, and sends
 * `Set-Cookie: session=…; HttpOnly; Secure; SameSite=Lax` with the text that `signed` returns.
 */

/** Returns the user of a cookie that this app has signed. Nobody else can make one, so the name is proven. */
export function userOf(cookies = ''): string | undefined {
  const [, given = ''] = /(?:^|;\s*)session=([^;]*)/.exec(cookies) ?? [];
  const user = given.slice(0, given.lastIndexOf('.'));
  const [mine, theirs] = [Buffer.from(signed(user)), Buffer.from(given)];
  return user !== '' && mine.length === theirs.length && timingSafeEqual(mine, theirs) ? user : undefined;
}

export function signed(user: string): string {
  const { SESSION_SECRET } = process.env;
  if (!SESSION_SECRET)
    throw new Error('SESSION_SECRET: expected the text that signs the sessions, got nothing');
  return `${user}.${createHmac('sha256', SESSION_SECRET).update(user).digest('base64url')}`;
}
