import type { HttpDispatcherRequest, HttpDispatcherResponse } from '../../../src/index.js';
import { INFO_PATH, item, type Item } from '../../servers/scripted.fixture.js';

/** A snapshot with the flag `on`. */
export const INITIAL = {
  namespace: { key: 'default' },
  flags: [{ key: 'on', name: 'on', type: 'BOOLEAN_FLAG_TYPE', enabled: true }],
};

/** Answers as a Flipt that has only the flag `on`, offers no stream, and does not tell its version. */
export function answerOfPath({ path, body }: HttpDispatcherRequest): HttpDispatcherResponse {
  if (path === INFO_PATH || path.endsWith('/stream')) return response(404, {});
  if (path !== '/evaluate/v1/batch') return response(200, INITIAL);
  const { requests } = JSON.parse(body ?? '{}') as { readonly requests: readonly Item[] };
  const answers = requests.map(({ flagKey }) =>
    flagKey === 'on' ? item.boolean(flagKey, true) : item.missing(flagKey),
  );
  return response(200, { requestId: '', responses: answers });
}

/** An answer with an error and no content. */
export function failing(statusCode: number, headers: Readonly<Record<string, string>> = {}) {
  const { body, ...rest } = response(statusCode, {});
  return { ...rest, headers: { ...rest.headers, ...headers }, body };
}

function response(statusCode: number, json: object): HttpDispatcherResponse {
  const body = (async function* () {
    yield await Promise.resolve(Buffer.from(JSON.stringify(json)));
  })();
  return { statusCode, headers: { 'content-type': 'application/json' }, body };
}
