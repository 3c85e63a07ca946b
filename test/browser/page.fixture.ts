import { onTestFinished } from 'vitest';
import { startLocalService, type LocalService, type LocalServiceOptions } from '../../src/local/index.js';
import type { Tab } from './browser.fixture.js';

export const FEATURES = {
  flags: [
    { key: 'new-checkout', name: 'New checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    {
      key: 'new-search',
      type: 'BOOLEAN_FLAG_TYPE',
      rollouts: [{ segment: { key: 'beta', value: true } }, { threshold: { percentage: 20, value: true } }],
    },
    {
      key: 'banner',
      description: 'On each page',
      enabled: true,
      variants: [{ key: 'blue', default: true }, { key: 'red' }],
      rules: [{ segment: 'beta', distributions: [{ variant: 'red', rollout: 100 }] }],
    },
    { key: 'size', enabled: true, variants: ['1', '2', '3', '4', '5'].map((key) => ({ key })) },
  ],
  segments: [
    {
      key: 'beta',
      constraints: [{ type: 'NUMBER_COMPARISON_TYPE', property: 'age', operator: 'gte', value: '18' }],
    },
  ],
} as const;

/** Starts a service that ends with the test. */
export async function served(options: Partial<LocalServiceOptions> = {}): Promise<LocalService> {
  const service = await startLocalService({ features: FEATURES, ...options });
  onTestFinished(() => service.close());
  return service;
}

/** Resolves when the page shows the flags and gets changes. */
export async function live({ page }: Tab): Promise<void> {
  await page.getByRole('status').getByText('Live').waitFor();
}

/** Finds what the page shows of a flag. */
export const card = ({ page }: Tab, key: string) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name: key, exact: true }) });

/** Fills the form, and presses its button. */
export async function explainBanner({ page }: Tab, context: string): Promise<void> {
  await page.getByLabel('Flag', { exact: true }).selectOption('banner');
  await page.getByLabel('Attributes').fill(context);
  await page.getByRole('button', { name: 'Evaluate' }).click();
}
