/** Headers whose values are credentials, by what their names say. */
const SECRET_NAME = /auth|token|key|secret|cookie|session|password|signature/i;
/** What is shorter is no secret, and would blot out half of an honest message. */
const SHORTEST_SECRET = 6;

/** Text from outside, without the credentials that were sent: a gateway's error page may show the whole request. */
export function discreet(text: string, sent: Readonly<Record<string, string>>): string {
  return Object.entries(sent)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => [value, value.slice(value.lastIndexOf(' ') + 1)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((shown, secret) => shown.replaceAll(secret, '[credential]'), text);
}
