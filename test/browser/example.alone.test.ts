import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it, vi } from 'vitest';
import { describeInBrowser, type OpenTab } from './browser.fixture.js';
import { example, sharedExample, type Example } from './example.fixture.js';

// Long, because a browser on a busy machine is slow. The tests wait for conditions, not for times.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '../..');
const PICTURE = join(ROOT, 'docs/live.png');

/** Waits until the element with this id, or selector, has this text. */
const says = (page: Page, selector: string, text: string | RegExp) =>
  page.locator(selector).filter({ hasText: text }).waitFor({ timeout: 60_000 });
const FOCUSED = 'document.activeElement.matches("button") ? document.activeElement.textContent : ""';
/** The words of all tables that stand on two lines, or beyond the right edge of the page. */
const BROKEN_WORDS = `[...document.querySelectorAll('th, td')].flatMap((cell) => {
  const found = [];
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    for (const { 0: word, index } of text.data.matchAll(/[^ ]+/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const rects = [...range.getClientRects()];
      const isCut = rects.some(({ right }) => right > document.documentElement.clientWidth);
      if (new Set(rects.map(({ top }) => top)).size > 1 || isCut) found.push(word);
    }
  }
  return found;
})`;
const TABLES_SHOWN_AS = '[...document.querySelectorAll("tr")].map((row) => getComputedStyle(row).display)';
/** What stands above the cells of the first row of the server's table, and of a browser's row. */
const LABELS = `['#modes tr:has(td)', '#browser-flags tbody tr'].flatMap((row) =>
  [...document.querySelector(row).querySelectorAll('td')].map((cell) => getComputedStyle(cell, '::before').content))`;
const rowOf = (flagKey: string) => `#browser-flags tr:has(th:text-is("${flagKey}"))`;

/** Shows the tables of values. */
async function unfold(page: Page) {
  for (const part of await page.locator('summary').all()) await part.click();
}

async function opened(open: OpenTab, app: Example, options?: Parameters<OpenTab>[1]) {
  const tab = await open(`${app.url}/`, options);
  await unfold(tab.page);
  await says(tab.page, '#modes', 'in-process');
  await says(tab.page, rowOf('limits'), 'FLAG_NOT_FOUND');
  return { ...app, ...tab };
}

/** Waits also until it has noticed that Flipt, which the test before may have stopped, runs. */
async function openedAgain(...how: Parameters<typeof opened>) {
  const page = await opened(...how);
  await says(page.page, '#modes thead', /Remote ready.*In-process ready/);
  return page;
}

it('has a picture in the README that loads fast', () => {
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('(docs/live.png)');
  expect(readFileSync(PICTURE).subarray(1, 4).toString()).toBe('PNG');
  expect(statSync(PICTURE).size).toBeLessThan(150_000);
});

describeInBrowser('the page of the example', (open) => {
  it('follows an edited file and a switch, on the server and in the browser', async () => {
    const { page, edit, messages } = await opened(open, await example());
    edit('projects: 3', 'projects: 42');
    await says(page, '[data-mode=remote] .limits', 'You may have 42 projects');
    await page.getByRole('switch', { name: 'holiday-banner' }).click();
    await says(page, '[data-mode=remote] .banner', 'Happy holidays: snow');
    await says(page, '#modes', /TARGETING_MATCH/);
    await says(page, rowOf('holiday-banner'), /"snow"\s*snow\s*TARGETING_MATCH/);
    await page.getByRole('switch', { name: 'holiday-banner', checked: true }).waitFor();
    edit('projects: 42', 'projects: [');
    await says(page, '#problem', /^features\.yml is wrong; the old features stay:\nline \d+:\d+: [^/]*$/);
    expect(messages).toEqual([]);
  });

  it('shows an effect at the first press: the first switch is that of a flag with rules', async () => {
    const { page, edit, messages } = await opened(open, await example());
    const first = page.getByRole('switch').first();
    await says(page, '[data-mode=remote] .buy', 'Buy with one click');
    expect(await first.getAttribute('aria-checked')).toBe('true');
    await first.click();
    await says(page, '[data-mode=remote] .buy', 'To the checkout');
    await says(page, rowOf('new-checkout'), 'false');
    await page.getByRole('button', { name: 'Stop Flipt' }).click();
    await says(page, '#running', 'is stopped');
    await page.getByRole('button', { name: 'Start Flipt' }).click();
    await says(page, '#modes thead', /Remote ready.*In-process ready/);
    await page.getByRole('switch', { name: 'new-checkout', checked: false }).waitFor();
    edit('projects: 3', 'projects: 42');
    await says(page, '[data-mode=remote] .limits', '42 projects');
    await says(page, '[data-mode=remote] .buy', 'Buy with one click');
    expect(messages).toEqual([]);
  });

  it('shows what users get while Flipt is stopped, and the recovery', async () => {
    const { page, messages } = await opened(open, await example());
    await says(page, '#meaning', 'one request for each new user');
    expect(await page.title()).toContain('openfeature-flipt-provider');
    await says(page, '#service', 'Flipt is up: stop it, and watch the three shops');
    await says(page, '#modes', 'the app’s default: this provider ignores Flipt’s default variant');
    await page.getByRole('switch', { name: 'holiday-banner' }).click();
    await says(page, '[data-mode=remote] .banner', 'snow');
    await page.getByRole('button', { name: 'Stop Flipt' }).click();
    await says(page, '#running', 'is stopped');
    await says(page, '#modes thead', 'Remote stale');
    await says(page, '#service', 'Flipt is stopped: with this provider, nobody has lost a flag');
    await says(page, '#meaning', 'This provider still gives all 16 values.');
    await says(
      page,
      '#meaning',
      'With the existing provider, 8 of 8 are errors with the app’s defaults, and ada has another value than before for 3 of 4 flags.',
    );
    // The provider has noticed the outage by its polls and checks, and these are no requests for users.
    await says(
      page,
      '#modes thead',
      /In-process stale\d+ flags resolved with 0 requestsand \d+ polls and checks/,
    );
    await says(page, '#modes thead', 'Existing ready: it does not watch Flipt');
    await says(page, '#modes', /STALEsnapshot, (now|\d+ s ago)/);
    expect(await page.locator('[data-reason="ERROR"]').count()).toBe(8);
    expect(await page.locator('[data-mode=remote] .banner').textContent()).toBe('Happy holidays: snow');
    expect(await page.getByRole('switch').first().isDisabled()).toBe(true);
    expect(await page.getByText('Press a switch').isVisible()).toBe(false);
    await page.getByText('Flags can be changed when Flipt is up.').waitFor();
    await page.getByRole('button', { name: 'Start Flipt' }).click();
    await says(page, '#running', 'Flipt is up');
    await says(page, '#modes thead', /Remote ready.*In-process ready/);
    await says(page, '#meaning', 'one request for each new user');
    await says(page, '[data-mode=remote] .banner', 'snow');
    expect(messages).toEqual([]);
  });

  it('shows the shop of each provider on the first screen, and which of them an outage changes', async () => {
    const { url } = await example();
    const { page, messages } = await open(`${url}/`, { viewport: { width: 1280, height: 720 } });
    const shops = ['remote', 'in-process', 'existing'].map((mode) => page.locator(`[data-mode=${mode}]`));
    const words = () => Promise.all(shops.map((shop) => shop.locator('.shop').innerText()));
    for (const shop of shops) await shop.getByText('Buy with one click').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Flipt is up: stop it, and watch the three shops',
      'openfeature-flipt-provider remote',
      'openfeature-flipt-provider in-process',
      '@openfeature/flipt-provider',
    ]);
    await page.getByText('A switch changes the flag for everybody').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    const before = await words();
    await page.getByRole('button', { name: 'Stop Flipt' }).click();
    await shops[2]?.getByText('4 of 4 flags lost: app’s defaults').waitFor();
    for (const shop of shops.slice(0, 2)) await shop.getByText('the user notices nothing').waitFor();
    const after = await words();
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[2]).toContain('To the checkout');
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThanOrEqual(720);
    expect(messages).toEqual([]);
  });

  it('is used with the keyboard alone', async () => {
    const { page } = await opened(open, await example());
    const reached: string[] = [];
    const focused = () => page.evaluate<string>(FOCUSED);
    for (let presses = 0; presses < 16; presses++) {
      await page.keyboard.press('Tab');
      reached.push(await focused());
      if (reached.at(-1) === 'holiday-banner') await page.keyboard.press('Space');
    }
    const switches = ['new-checkout', 'button-color', 'limits', 'holiday-banner'];
    const users = ['ada', 'grace', 'linus', 'Log out'];
    const buy = Array<string>(3).fill('Buy with one click');
    const controls = ['Stop Flipt', ...switches, ...users, ...buy];
    expect(reached.filter((name) => name !== '')).toEqual(controls);
    await says(page, '[data-mode=remote] .banner', 'snow');
    await says(page, '#news', 'holiday-banner is "snow"');
  });

  it('shows hostile features as the text that they are', async () => {
    const { page, edit, messages } = await opened(open, await example());
    const hostile = `</script><script>window.harm=1</script><img src=x onerror='window.harm=1'>"&\u202e`;
    edit('support: forum', `support: ${JSON.stringify(hostile)}`);
    await says(page, '[data-mode=remote] .limits', hostile);
    await page.reload();
    await says(page, '[data-mode=remote] .limits', hostile);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate('window.harm')).toBeUndefined();
    expect(messages).toEqual([]);
  });

  describe('without edits', () => {
    const app = sharedExample();

    it("shows another user's flags after a login, also in the browser, whatever the page asks for", async () => {
      const { page, url, messages } = await openedAgain(open, app());
      await says(page, rowOf('new-checkout'), 'SPLIT');
      await page.getByRole('button', { name: 'grace' }).click();
      await says(page, '[data-mode=remote] .hello', 'Hello grace (pro)');
      await says(page, '[data-mode=remote] .limits', '100 projects');
      await says(page, rowOf('new-checkout'), 'TARGETING_MATCH');
      await page.getByRole('button', { name: 'Log out' }).click();
      await says(page, '[data-mode=remote] .hello', 'Hello guest (free)');
      await page.getByRole('button', { name: 'linus' }).click();
      await says(page, rowOf('new-checkout'), 'false');
      await says(page, rowOf('button-color'), '"orange"');
      const asked = await page.evaluate(async () => {
        const body = JSON.stringify({ context: { targetingKey: 'grace', plan: 'pro' } });
        const response = await fetch('/ofrep/v1/evaluate/flags/new-checkout', { method: 'POST', body });
        return response.json();
      });
      expect(asked).toMatchObject({ value: false });
      await page.goto(`${url}/`);
      await unfold(page);
      await says(page, '[data-mode=remote] .hello', 'Hello linus (free)');
      await says(page, rowOf('new-checkout'), 'false');
      expect(messages).toEqual([]);
    });

    it.each([
      ['light', 1280],
      ['dark', 390],
    ] as const)(
      'is accessible, %s at %i px, also while Flipt is stopped, and cuts no word of a table',
      async (colorScheme, width) => {
        const look = { colorScheme, reducedMotion: 'reduce', viewport: { width, height: 844 } } as const;
        const { page, violations } = await openedAgain(open, app(), look);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(width);
        expect(await page.evaluate(BROKEN_WORDS)).toEqual([]);
        expect(await violations()).toEqual([]);
        await page.getByRole('button', { name: 'Stop Flipt' }).click();
        await says(page, '#modes thead', 'Remote stale');
        expect(await violations()).toEqual([]);
      },
    );

    it('has at most two screens on a phone', async () => {
      const { page } = await open(`${app().url}/`, { viewport: { width: 390, height: 844 } });
      await says(page, '[data-mode=existing] .buy', 'Buy with one click');
      const height = await page.evaluate<number>('document.documentElement.scrollHeight');
      expect(height).toBeLessThanOrEqual(2 * 844);
    });

    it('shows its tables as lists on a narrow screen, with all that it says of each value', async () => {
      const { page } = await openedAgain(open, app(), { viewport: { width: 390, height: 844 } });
      const rows = new Set(await page.evaluate<string[]>(TABLES_SHOWN_AS));
      expect(rows).toEqual(new Set(['grid', 'none']));
      const labels = await page.evaluate<string[]>(LABELS);
      expect(labels.filter((label) => label !== 'none')).toEqual([
        '"remote"',
        '"in-process"',
        '"existing"',
        '"value"',
        '"variant"',
        '"reason"',
      ]);
      await page.getByRole('table').first().getByRole('cell').first().waitFor();
      await page.locator('.polls').getByText('polls and checks').first().waitFor();
      await page.getByText('this provider ignores Flipt’s default variant').first().waitFor();
      await page.getByText('ready: it does not watch Flipt').waitFor();
    });
  });
});
