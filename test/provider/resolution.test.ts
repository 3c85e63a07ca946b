import type { EvaluationContext, JsonValue } from '@openfeature/server-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { FEATURES } from './features.fixture.js';
import { open } from './open.fixture.js';

const USER: EvaluationContext = { targetingKey: 'user-1', plan: 'pro' };

describe.each(['v1', 'v2'] as const)('against the embedded service, by the rules of %s', (semantics) => {
  let service: LocalService;
  beforeAll(async () => {
    service = await startLocalService({ features: FEATURES, semantics });
  });
  afterAll(() => service.close());

  const client = async () => (await open({ url: service.url })).client;

  it.each<[string, boolean, EvaluationContext, object]>([
    ['on', false, USER, { value: true, variant: 'true', reason: 'DEFAULT' }],
    ['off', true, USER, { value: false, variant: 'false', reason: 'DEFAULT' }],
    ['half', false, USER, { value: true, variant: 'true', reason: 'SPLIT' }],
    [
      'staff-only',
      false,
      { ...USER, team: 'staff' },
      { value: true, variant: 'true', reason: 'TARGETING_MATCH' },
    ],
    ['staff-only', true, USER, { value: false, variant: 'false', reason: 'DEFAULT' }],
    ['absent', true, USER, { value: true, reason: 'ERROR', errorCode: 'FLAG_NOT_FOUND' }],
    ['colour', true, USER, { value: true, reason: 'ERROR', errorCode: 'TYPE_MISMATCH' }],
  ])('boolean %s, default %s, for %j', async (flag, byDefault, context, expected) => {
    expect(await (await client()).getBooleanDetails(flag, byDefault, context)).toMatchObject(expected);
  });

  it.each<[string, object]>([
    [
      'colour',
      {
        value: 'blue',
        variant: 'blue',
        reason: 'TARGETING_MATCH',
        flagMetadata: { segmentKeys: 'everyone' },
      },
    ],
    ['nobody', { value: 'default', reason: 'DEFAULT', flagMetadata: { serviceReason: 'UNKNOWN' } }],
    ['bare-match', { value: 'default', reason: 'DEFAULT', flagMetadata: { serviceReason: 'MATCH' } }],
    ['retired', { value: 'default', reason: 'DISABLED', flagMetadata: { disabledVariant: 'old' } }],
    ['limit', { value: '25', variant: '25', reason: 'DEFAULT' }],
    ['on', { value: 'default', reason: 'ERROR', errorCode: 'TYPE_MISMATCH' }],
    ['absent', { value: 'default', reason: 'ERROR', errorCode: 'FLAG_NOT_FOUND' }],
  ])('string %s', async (flag, expected) => {
    expect(await (await client()).getStringDetails(flag, 'default', USER)).toMatchObject(expected);
  });

  it.each<[string, object]>([
    ['limit', { value: 25, variant: '25', reason: 'DEFAULT' }],
    ['colour', { value: -1, reason: 'ERROR', errorCode: 'TYPE_MISMATCH' }],
    ['retired', { value: -1, reason: 'DISABLED' }],
  ])('number %s', async (flag, expected) => {
    expect(await (await client()).getNumberDetails(flag, -1, USER)).toMatchObject(expected);
  });

  it.each<[string, object]>([
    ['layout', { value: { columns: [1, 2], sticky: true }, variant: 'wide', reason: 'TARGETING_MATCH' }],
    ['colour', { value: { default: true }, reason: 'ERROR', errorCode: 'TYPE_MISMATCH' }],
    ['retired', { value: { default: true }, reason: 'DISABLED' }],
  ])('object %s', async (flag, expected) => {
    const byDefault: JsonValue = { default: true };
    expect(await (await client()).getObjectDetails(flag, byDefault, USER)).toMatchObject(expected);
  });

  it('the same answer from the cache says so, with its age', async () => {
    const flags = await client();
    await flags.getStringDetails('colour', 'default', USER);
    expect(await flags.getStringDetails('colour', 'default', USER)).toMatchObject({
      value: 'blue',
      reason: 'CACHED',
      flagMetadata: {
        source: 'cache',
        serviceReason: 'MATCH',
        flagSetId: 'default',
        ageMs: expect.any(Number) as unknown,
      },
    });
  });

  it('an object from the cache is a copy of its own each time', async () => {
    const flags = await client();
    const first = (await flags.getObjectValue('layout', {}, USER)) as { columns: number[] };
    first.columns.push(3);
    expect(await flags.getObjectValue('layout', {}, USER)).toEqual({ columns: [1, 2], sticky: true });
  });
});
