import { afterAll, beforeAll, expect } from 'vitest';
import { FliptClient } from '../../../src/client/index.js';
import { startLocalService, type LocalService } from '../../../src/local/index.js';
import { BASE_FEATURES } from '../../contract/conversation.fixture.js';
import { PATIENT } from '../../eventually.fixture.js';

const BOOTSTRAP = 'test-bootstrap';
export const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string;

export let service: LocalService;
export let client: FliptClient;

/** Gives each test file a service of its own. */
export function servedByItsOwn(): void {
  beforeAll(async () => {
    service = await startLocalService({ features: BASE_FEATURES, bootstrapToken: BOOTSTRAP });
    client = new FliptClient({ url: service.url, auth: { token: BOOTSTRAP }, http: PATIENT.http });
  });
  afterAll(async () => {
    await client.close();
    await service.close();
  });
}

export async function all<T>(entries: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}
