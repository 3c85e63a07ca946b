import type { Credential, Credentials } from './credentials.js';
import type { Send } from './message.js';

/** Sends each request with credentials. A 401 has them renewed once, and is tried once more with what came of it. */
export function authorized(send: Send, credentials: Credentials): Send {
  return async (request) => {
    const attempt = (credential: Credential) =>
      send({ ...request, headers: { ...request.headers, ...credential.headers } });

    const credential = await credentials.current();
    if ('kind' in credential) return credential;
    const outcome = await attempt(credential);
    if (outcome.kind !== 'reply' || outcome.status !== 401) return outcome;
    const renewed = await credentials.renew(credential);
    return 'kind' in renewed ? outcome : attempt(renewed);
  };
}
