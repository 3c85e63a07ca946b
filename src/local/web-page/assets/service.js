/*
 * The page's requests to the service. The token is kept in this module's memory only.
 */
let token = '';

export function useToken(given) {
  token = given;
}

/** Whether the service answers requests with this token, or without one. */
export async function isAccepted() {
  const { accepted } = await request('GET', '/local/v1/session');
  return accepted;
}

export function readNamespaces() {
  return request('GET', '/local/v1/namespaces');
}

/** A message about what Flipt would refuse in the features; '' if it would refuse nothing. */
export async function readRefused() {
  return (await request('GET', '/local/v1/refused')).refused;
}

/** Sets a flag's value for everybody. With `undefined`, the flag's rules decide again. */
export function setValue(namespace, flag, value) {
  const path = `/local/v1/namespaces/${encodeURIComponent(namespace)}/flags/${encodeURIComponent(flag)}`;
  return value === undefined ? request('DELETE', path) : request('PUT', path, { value });
}

export function explain(namespace, question) {
  return request('POST', `/local/v1/namespaces/${encodeURIComponent(namespace)}/explanations`, question);
}

async function request(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: headers(body === undefined ? {} : { 'content-type': 'application/json' }),
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => {
    // Each browser has its own message, and none says who has failed.
    throw new Error('The service does not answer. Is it running?');
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

function headers(more) {
  return token === '' ? more : { ...more, authorization: `Bearer ${token}` };
}

const AGAIN_MS = 1000;

/**
 * Calls `changed` now and after each change, and `lost` whenever the connection is lost. The returned promise never
 * resolves.
 */
export async function follow(changed, lost) {
  for (;;) {
    try {
      // An EventSource cannot send a token, so this is a fetch.
      const response = await fetch('/local/v1/changes', { headers: headers({}) });
      if (!response.ok) throw new Error(String(response.status));
      const reader = response.body.getReader();
      for (;;) {
        const { done } = await reader.read();
        if (done) break;
        changed();
      }
    } catch {
      // The service has ended, or it is restarting.
    }
    lost();
    await new Promise((resolve) => {
      setTimeout(resolve, AGAIN_MS);
    });
  }
}
