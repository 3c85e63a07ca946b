import { afterAll } from 'vitest';
import { type LocalService, startLocalService } from '../../src/local/index.js';
import type { LocalServiceOptions } from '../../src/local/index.js';
import { BASE_FEATURES } from './requests.fixture.js';

export const SEGMENTS = '/api/v1/namespaces/default/segments';
export const OPEN = { flagKey: 'open', entityId: 'u1' };

/**
 * Starts services, and closes them after a file's tests. Call it after useFolder, so that the folder is removed last.
 */
export function useServices(): (options?: LocalServiceOptions) => Promise<LocalService> {
  const running: LocalService[] = [];
  afterAll(async () => {
    await Promise.all(running.map((service) => service.close()));
  });
  return async (options = { features: BASE_FEATURES }) => {
    const service = await startLocalService(options);
    running.push(service);
    return service;
  };
}
