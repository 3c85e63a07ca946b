import { inspect } from 'node:util';
import { onTestFinished } from 'vitest';
import { FliptClient, FliptServiceError, type ConnectionOptions } from '../../src/client/index.js';
import { scriptedServer, type Script, type ScriptedServer } from '../servers/scripted.fixture.js';
import { PATIENT } from '../eventually.fixture.js';

export const TOKEN = 'never-to-be-shown';

/** Closes things after the test, the last one first. */
export function atEnd(...ends: readonly (() => Promise<void>)[]): void {
  for (const end of ends) onTestFinished(end);
}

export async function serving(
  script: Script,
  options: ConnectionOptions = {},
): Promise<{ client: FliptClient; server: ScriptedServer }> {
  const server = await scriptedServer(script);
  const http = { ...PATIENT.http, ...options.http };
  const client = new FliptClient({ url: server.url, auth: { token: TOKEN }, ...options, http });
  atEnd(server.close, () => client.close());
  return { client, server };
}

export const SEGMENT = {
  namespaceKey: 'default',
  key: 'beta',
  name: 'Beta',
  description: '',
  createdAt: '2024-01-01T00:00:00Z',
  updatedAt: '2024-01-01T00:00:00Z',
  constraints: [],
  matchType: 'ALL_MATCH_TYPE',
};
export const EMPTY_BATCH = { requestId: '', responses: [], requestDurationMillis: 0 };

export async function failureOf(call: Promise<unknown>): Promise<FliptServiceError> {
  const outcome = await call.catch((error: unknown) => error);
  if (!(outcome instanceof FliptServiceError)) throw new Error(`no FliptServiceError: ${inspect(outcome)}`);
  return outcome;
}
