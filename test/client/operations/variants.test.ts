import { describe, expect, it } from 'vitest';
import { client, servedByItsOwn, TIMESTAMP } from './serving.fixture.js';

servedByItsOwn();

describe('variants', () => {
  it('replaces a variant, which the next evaluation sees', async () => {
    const { rules } = await client.rules.list('default', 'banner');
    const id = rules[0]?.distributions[0]?.variantId ?? '';
    const attachment = JSON.stringify({ color: 'crimson' });
    const variant = await client.variants.update('default', 'banner', id, {
      key: 'red',
      name: 'Red 2',
      attachment,
    });
    expect(variant).toEqual({
      id,
      namespaceKey: 'default',
      flagKey: 'banner',
      key: 'red',
      name: 'Red 2',
      description: '',
      attachment,
      createdAt: TIMESTAMP,
      updatedAt: TIMESTAMP,
    });
    const { responses } = await client.evaluation.batch([{ flagKey: 'banner', context: { plan: 'pro' } }]);
    expect(responses[0]?.variantResponse?.variantAttachment).toBe(attachment);
  });
});
