import { ProviderEvents } from '@openfeature/server-sdk';
import type { FliptProviderOptions } from '../../src/index.js';
import { eventually } from '../eventually.fixture.js';
import { open, recordingLogger, serving } from '../provider/open.fixture.js';
import { answering, answerJson, item, itemsOf, orMissing, type Script } from '../servers/scripted.fixture.js';

export const BANNER = { key: 'banner', type: 'BOOLEAN_FLAG_TYPE', enabled: true };
export const LIST = { key: 'list', type: 'LIST_FLAG_TYPE', enabled: true };
export const SEMVER = {
  key: 'semver',
  rules: [{ segments: [{ key: 's', constraints: [{ type: 'SEMVER_CONSTRAINT_COMPARISON_TYPE' }] }] }],
};
export const ANN = { targetingKey: 'ann', plan: 'pro' };
export const evaluating = answering(
  orMissing(({ flagKey }) =>
    flagKey === 'banner' ? item.boolean('banner') : item.variant(flagKey, `${flagKey}-value`),
  ),
);
const failing: Script = (_, response) => {
  answerJson(response, { code: 14, message: 'no' }, 503);
};

/** Starts a service of a newer version, whose evaluation and snapshot the test may change. */
export async function newer(
  options: FliptProviderOptions,
  flags: readonly object[] = [BANNER, LIST, SEMVER],
) {
  let evaluation = evaluating;
  const snapshots: Script = (_, response) => {
    answerJson(response, { namespace: { key: 'default' }, flags });
  };
  const server = await serving((request, response) => evaluation(request, response), snapshots);
  const logger = recordingLogger();
  const opened = await open({ url: server.url, logger, ...options });
  await eventually(async () => (await opened.provider.getSnapshot()) !== undefined);
  /** Returns the keys of the flags in each batch, without health checks. */
  const asked = () =>
    server.requests
      .filter(({ method }) => method === 'POST')
      .map((request) => itemsOf(request).map(({ flagKey }) => flagKey))
      .filter(([first]) => first !== '');
  return {
    ...opened,
    logger,
    asked,
    server,
    fail: () => (evaluation = failing),
    deleteAll: () => (evaluation = answering(({ flagKey }) => item.missing(flagKey))),
    serve: (next: readonly object[]) => {
      flags = next;
      return new Promise<readonly string[] | undefined>((resolve) => {
        opened.client.addHandler(ProviderEvents.ConfigurationChanged, (details) => {
          if (details?.flagsChanged?.length) resolve(details.flagsChanged);
        });
        opened.provider.invalidate([]);
      });
    },
  };
}
