import { expect, it, vi } from 'vitest';
import { localService, open } from '../provider/open.fixture.js';
import { describeInBrowser } from './browser.fixture.js';
import { plain, react, rendering } from './rendered.fixture.js';

// Long, because a browser on a busy machine is slow. The tests wait for conditions, not for times.
vi.setConfig({ testTimeout: 120_000 });

const FEATURES = {
  flags: [
    { key: 'new-checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true },
    { key: 'banner', enabled: true, variants: [{ key: '</script><b>', default: true }] },
    { key: 'limits', enabled: true, variants: [{ key: 'pro', default: true, attachment: { projects: 3 } }] },
    { key: 'discount', enabled: true, variants: [{ key: 'third', default: true, attachment: 0.333 }] },
    { key: 'nobody', enabled: true, variants: [{ key: 'never' }] },
  ],
} as const;

describeInBrowser('a page that the server renders', (openTab) => {
  it.each([
    ['React', react],
    ['plain script', plain],
  ])('keeps its text when the browser takes it over, and then follows changes, with %s', async (_, made) => {
    const service = await localService({ features: FEATURES });
    const { provider } = await open({ url: service.url, evaluation: 'in-process' });
    const { url, answerFirst, answerAll } = await rendering(await made(), provider);
    const { page, messages } = await openTab(url);
    const again = () => page.getByRole('button').click();

    // No request of the browser for flags has an answer yet.
    await page.locator('main[data-hydrated=true]').waitFor();
    await again();
    expect(await page.locator('p').allTextContents()).toEqual([
      'Buy with one click',
      '</script><b>, 3 projects, 0.333 off, own',
    ]);
    await answerFirst();
    await page.waitForFunction('/remote/i.test(providerName())');
    await again();
    answerAll();

    service.set('new-checkout', false);
    provider.invalidate();
    await page.locator('p').getByText('To the checkout').waitFor();
    await again();
    expect(await page.evaluate<readonly string[]>('texts')).toEqual([
      expect.stringContaining('Buy with one click'),
      expect.stringContaining('To the checkout'),
    ]);
    expect(messages.filter((message) => !message.includes('React DevTools'))).toEqual([]);
  });
});
