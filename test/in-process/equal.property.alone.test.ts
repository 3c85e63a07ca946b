import {
  OpenFeature,
  type EvaluationContext,
  type EvaluationDetails,
  type FlagValue,
} from '@openfeature/server-sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FliptProvider } from '../../src/index.js';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { arbitraryFeatures, arbitraryItem, FLAG_KEYS } from '../local/arbitrary-features.fixture.js';
import { PATIENT } from '../eventually.fixture.js';
import { recordingLogger } from '../provider/open.fixture.js';

const DEFAULTS = { Boolean: false, String: 'none', Number: -1, Object: {} } as const;

/** All members that must be equal: not where an answer came from, nor when. */
function comparable({
  value,
  variant,
  reason,
  errorCode,
  flagMetadata,
}: EvaluationDetails<FlagValue>): object {
  const { segmentKeys = '', serviceReason, disabledVariant } = flagMetadata;
  // Flipt v1 lists the segments of a rule in another order each time.
  const segments = String(segmentKeys).split(',').sort();
  return { value, variant, reason, errorCode, serviceReason, disabledVariant, segments };
}

async function resolveAll(
  domain: string,
  flag: string,
  context: EvaluationContext,
): Promise<readonly object[]> {
  const client = OpenFeature.getClient(domain);
  const details = [
    await client.getBooleanDetails(flag, DEFAULTS.Boolean, context),
    await client.getStringDetails(flag, DEFAULTS.String, context),
    await client.getNumberDetails(flag, DEFAULTS.Number, context),
    await client.getObjectDetails(flag, DEFAULTS.Object, context),
  ];
  return details.map(comparable);
}

describe.each(['v1', 'v2'] as const)('with the semantics of %s', (semantics) => {
  const remote = `remote-${semantics}`;
  const inProcess = `in-process-${semantics}`;
  let service: LocalService;

  beforeAll(async () => {
    service = await startLocalService({ features: { flags: [] }, semantics });
  });
  afterAll(async () => {
    await OpenFeature.clearProviders();
    await service.close();
  });

  it('any flag resolves to the same details, remotely and in this process', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryFeatures,
        fc.array(arbitraryItem, { minLength: 1, maxLength: 5 }),
        async (features, items) => {
          await service.load(features);
          const logger = recordingLogger();
          const options = { url: service.url, logger, ...PATIENT };
          const here = new FliptProvider({ ...options, evaluation: 'in-process' });
          const there = new FliptProvider({ ...options, watch: false, cache: false });
          await OpenFeature.setProviderAndWait(inProcess, here);
          await OpenFeature.setProviderAndWait(remote, there);
          expect(await here.getSnapshot()).toBeDefined();
          for (const { entityId, context } of items) {
            const asked = { ...context, targetingKey: entityId };
            for (const flag of [...FLAG_KEYS, 'missing']) {
              expect(await resolveAll(inProcess, flag, asked)).toEqual(await resolveAll(remote, flag, asked));
            }
          }
        },
      ),
      { numRuns: 12 },
    );
  });
});
