/** The users who can log in here. A real app has them in its database. */
const PLANS = { ada: 'free', grace: 'pro', linus: 'free' };
export const USERS = Object.keys(PLANS);

/** The user whose page is shown: the one who is logged in, or another one whom the query names. */
export function visitor(req) {
  const { user, plan } = req.query;
  if (isText(user)) return { user, plan: isText(plan) ? plan : 'free' };
  const name = loggedIn(req);
  return { user: name, plan: PLANS[name] ?? 'free' };
}

/** The context of the user who is logged in, never of a user that only the query names. */
export function sessionContext(req) {
  const user = loggedIn(req);
  return { targetingKey: user, plan: PLANS[user] ?? 'free' };
}

/** `POST /session { user }` logs in; any other name logs out. A real app asks for a password. */
export function logIn(req, res) {
  const user = USERS.includes(req.body?.user) ? req.body.user : 'guest';
  res.cookie('user', user, { httpOnly: true, sameSite: 'strict' });
  res.json({ user });
}

function loggedIn(req) {
  const [, name = 'ada'] = /(?:^|;\s*)user=(\w+)/.exec(req.headers.cookie ?? '') ?? [];
  return USERS.includes(name) ? name : 'guest';
}

const isText = (value) => typeof value === 'string' && value !== '';
