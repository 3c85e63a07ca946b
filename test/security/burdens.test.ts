import { describe, expect, it } from 'vitest';
import { flipt, serving } from '../provider/open.fixture.js';
import { answering, item } from '../servers/scripted.fixture.js';

describe('an expensive answer', () => {
  const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it.each<[string, string]>([
    ['deep', `{"responses":${deep(100_000)}}`],
    ['of a hundred thousand items', `{"responses":[${Array.from({ length: 100_000 }, () => '{}').join()}]}`],
    ['with a number beyond all', '{"responses":[1e999999]}'],
    ['with members of other types', '{"responses":[{"type":{},"variantResponse":[],"booleanResponse":"x"}]}'],
    ['of members that repeat', `{${'"responses":[],'.repeat(10_000)}"responses":null}`],
  ])('%s ends in the default, and the next one is read', async (_, text) => {
    let isHostile = true;
    const good = answering(({ flagKey }) => item.boolean(flagKey));
    const server = await serving((request, response) =>
      isHostile ? response.end(text) : good(request, response),
    );
    const provider = flipt({
      url: server.url,
      deadlineMs: 10_000,
      http: { timeoutMs: 10_000 },
      breaker: false,
    });
    expect(await provider.resolveBooleanEvaluation('a', false, {})).toMatchObject({
      value: false,
      reason: 'ERROR',
    });
    isHostile = false;
    expect(await provider.resolveBooleanEvaluation('a', false, {})).toMatchObject({ value: true });
    await provider.onClose();
  });

  it('as an attachment gives a value or PARSE_ERROR', async () => {
    const server = await serving(
      answering(({ flagKey }) => item.variant(flagKey, 'a', { variantAttachment: deep(Number(flagKey)) })),
    );
    const provider = flipt({ url: server.url, deadlineMs: 10_000, http: { timeoutMs: 10_000 } });
    for (const depth of ['1', '1000', '100000']) {
      const details = await provider.resolveObjectEvaluation(depth, { mine: true }, {});
      expect(details.errorCode ?? 'value').toMatch(/^(value|PARSE_ERROR)$/);
    }
    await provider.onClose();
  });
});
