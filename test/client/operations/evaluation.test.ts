import { describe, expect, expectTypeOf, it } from 'vitest';
import type { EvaluationResponse } from '../../../src/client/index.js';
import { client, servedByItsOwn, TIMESTAMP } from './serving.fixture.js';

servedByItsOwn();

describe('evaluation', () => {
  it('answers in the order of the requests, each by its type', async () => {
    const { requestId, responses, requestDurationMillis } = await client.evaluation.batch(
      [
        {
          namespaceKey: 'default',
          flagKey: 'banner',
          entityId: 'u1',
          context: { plan: 'pro' },
          requestId: 'one',
        },
        { flagKey: 'open' },
        { flagKey: 'nope', namespaceKey: 'team' },
      ],
      { requestId: 'batch', reference: 'main', environment: 'default' },
    );
    expect(requestId).toBe('batch');
    expect(requestDurationMillis).toBeGreaterThanOrEqual(0);
    expect(responses).toEqual([
      {
        type: 'VARIANT_EVALUATION_RESPONSE_TYPE',
        variantResponse: {
          requestId: 'one',
          flagKey: 'banner',
          match: true,
          segmentKeys: ['beta'],
          reason: 'MATCH_EVALUATION_REASON',
          variantKey: 'red',
          variantAttachment: '{"color":"red"}',
          timestamp: TIMESTAMP,
          requestDurationMillis: expect.any(Number) as number,
        },
      },
      {
        type: 'BOOLEAN_EVALUATION_RESPONSE_TYPE',
        booleanResponse: {
          requestId: '',
          flagKey: 'open',
          enabled: true,
          segmentKeys: [],
          reason: 'DEFAULT_EVALUATION_REASON',
          timestamp: TIMESTAMP,
          requestDurationMillis: expect.any(Number) as number,
        },
      },
      {
        type: 'ERROR_EVALUATION_RESPONSE_TYPE',
        errorResponse: { flagKey: 'nope', namespaceKey: 'team', reason: 'NOT_FOUND_ERROR_EVALUATION_REASON' },
      },
    ]);
  });

  it('takes an empty batch', async () => {
    expect((await client.evaluation.batch([])).responses).toEqual([]);
  });

  it('narrows an answer by its type', () => {
    const keyOf = (response: EvaluationResponse): string | boolean => {
      switch (response.type) {
        case 'VARIANT_EVALUATION_RESPONSE_TYPE':
          return response.variantResponse.variantKey;
        case 'BOOLEAN_EVALUATION_RESPONSE_TYPE':
          return response.booleanResponse.enabled;
        case 'ERROR_EVALUATION_RESPONSE_TYPE':
          return response.errorResponse.reason;
      }
    };
    expectTypeOf(keyOf).returns.toEqualTypeOf<string | boolean>();
  });
});
