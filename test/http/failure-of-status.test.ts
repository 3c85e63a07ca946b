import { describe, expect, it } from 'vitest';
import { failureKindOf } from '../../src/http/reply.js';

describe('the kind of failure that a status stands for', () => {
  it.each([
    ['rejected-request', [400, 422]],
    ['unauthorized', [401]],
    ['forbidden', [403]],
    ['not-found', [404]],
    ['too-large', [413]],
    ['gateway', [408, 429, 502, 503, 504]],
    ['service-error', [500]],
    ['unexpected-status', [204, 301, 302, 402, 405, 418, 501, 505]],
  ] as const)('is %s for %j', (kind, statuses) => {
    expect(statuses.map(failureKindOf)).toEqual(statuses.map(() => kind));
  });
});
