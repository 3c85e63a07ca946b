import type { Failure } from '../model.js';
import type { Credential, Credentials } from './credentials.js';
import type { Reply, Send, ServiceRequest } from './message.js';

/**
 * Sends each request with credentials. A 401 has them renewed once, for all who wait for that, and is tried once more
 * with what came of it. Where that was refused as well, it is tried again only with other credentials: while the
 * service refuses what there is, each request goes out once.
 */
export function authorized(send: Send, credentials: Credentials): Send {
  let refused: Credential | undefined;

  const attempt = async (request: ServiceRequest, credential: Credential) =>
    withoutSecrets(
      await send({ ...request, headers: { ...request.headers, ...credential.headers } }),
      credential,
    );

  return async (request) => {
    const credential = await credentials.current();
    if ('kind' in credential) return credential;
    const outcome = await attempt(request, credential);
    if (!isUnauthorized(outcome)) {
      if (outcome.kind === 'reply') refused = undefined;
      return outcome;
    }
    const renewed = await credentials.renew(credential);
    if ('kind' in renewed || (refused !== undefined && isSame(renewed, refused))) return outcome;
    const second = await attempt(request, renewed);
    if (isUnauthorized(second)) refused = renewed;
    return second;
  };
}

function isUnauthorized(outcome: Reply | Failure): boolean {
  return outcome.kind === 'reply' && outcome.status === 401;
}

function isSame(one: Credential, other: Credential): boolean {
  return JSON.stringify(one.headers) === JSON.stringify(other.headers);
}

/** Some servers repeat what they were sent in their error page, which would then be in a message, and in a log. */
function withoutSecrets(outcome: Reply | Failure, { headers }: Credential): Reply | Failure {
  if (outcome.kind !== 'reply' || outcome.status === 200) return outcome;
  const secrets = Object.values(headers).map((value) => value.replace(/^\S+ /, ''));
  const text = secrets.reduce(
    (shown, secret) => (secret === '' ? shown : shown.replaceAll(secret, '[credential]')),
    outcome.text,
  );
  return { ...outcome, text };
}
