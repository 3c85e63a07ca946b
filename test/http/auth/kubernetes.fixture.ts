import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  answerJson,
  scriptedServer,
  type Script,
  type ScriptedServer,
} from '../../servers/scripted.fixture.js';

export const LOGIN_PATH = '/auth/v1/method/kubernetes/serviceaccount';
export const POD_TOKEN = 'eyJhbGciOi.dummy-pod.signature';

/** A file that holds a pod's token, which the cluster replaces. */
export interface PodToken extends AsyncDisposable {
  readonly path: string;
  readonly replace: (token: string) => Promise<void>;
}

export async function podToken(token = POD_TOKEN): Promise<PodToken> {
  const folder = await mkdtemp(join(tmpdir(), 'pod-'));
  const path = join(folder, 'token');
  const replace = async (text: string) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  await replace(token);
  return { path, replace, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** Returns the service's answer to a login. */
export function loggedIn(clientToken: string, expiresAt = '2999-01-01T00:00:00Z'): object {
  return { clientToken, authentication: { id: 'a', method: 'METHOD_KUBERNETES', expiresAt } };
}

/** Starts a service with a scripted login. `script` answers all other requests. */
export async function withLogin(
  logIn: Script,
  script: Script = (_, response) => {
    answerJson(response, { segments: [], nextPageToken: '', totalCount: 0 });
  },
): Promise<ScriptedServer & { readonly logins: () => number }> {
  const server = await scriptedServer((request, response) =>
    request.path === LOGIN_PATH ? logIn(request, response) : script(request, response),
  );
  return { ...server, logins: () => server.requests.filter(({ path }) => path === LOGIN_PATH).length };
}
