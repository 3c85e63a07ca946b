import { ProviderEvents, type Client, type ProviderStatus } from '@openfeature/server-sdk';
import { expect } from 'vitest';
import { answerJson, answering, item, orMissing, type Script } from '../servers/scripted.fixture.js';
import { serving } from './open.fixture.js';
import { eventually } from '../eventually.fixture.js';

export const good = answering(orMissing(({ flagKey }) => item.variant(flagKey, 'blue')));
export const refusing: Script = (_, response) => {
  answerJson(response, { code: 16, message: 'request was not authenticated' }, 401);
};

/** Starts a server with a script that the test may change. */
export async function changing(first: Script) {
  let script = first;
  const server = await serving((request, response) => script(request, response));
  return {
    server,
    become: (next: Script) => {
      script = next;
    },
  };
}

/** Counts events by kind, and can wait for one. */
export function watching(client: Client) {
  const counts: Record<string, number> = {};
  for (const event of [ProviderEvents.Ready, ProviderEvents.Error, ProviderEvents.Stale]) {
    client.addHandler(event, () => {
      counts[event] = (counts[event] ?? 0) + 1;
    });
  }
  return {
    counts,
    until: (status: ProviderStatus) =>
      eventually(() => {
        expect(client.providerStatus).toBe(status);
      }),
  };
}
