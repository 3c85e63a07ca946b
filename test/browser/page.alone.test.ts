import { expect, it } from 'vitest';
import { evaluate } from '../local/requests.fixture.js';
import { ownAddress, placeOf } from '../servers/own-address.fixture.js';
import { describeInBrowser, type Tab } from './browser.fixture.js';
import { card, explainBanner, FEATURES, live, served } from './page.fixture.js';

const ALL = 'button, input, select, textarea, summary, [tabindex]';
/** The names of what can be used on the page, as a screen reader says them. */
const CONTROLS = `[...document.querySelectorAll('${ALL}')]
  .filter((control) => control.checkVisibility())
  .map((control) => control.outerHTML)`;

/** The element with the focus after each press of Tab, until it leaves the page or returns to the first one. */
async function reachedByTab({ page }: Tab): Promise<readonly string[]> {
  const reached: string[] = [];
  for (;;) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>('document.activeElement.outerHTML');
    if (focused.startsWith('<body') || reached.includes(focused)) return reached;
    reached.push(focused);
  }
}

describeInBrowser('the page of the embedded service', (open) => {
  it('shows the flags with their rules in words', async () => {
    const service = await served();
    const tab = await open(service.url);
    await live(tab);
    await card(tab, 'new-search').locator('summary').click();
    const words = await card(tab, 'new-search').getByRole('listitem').allInnerTexts();
    expect(words.join('\n').split('\n')).toEqual(
      expect.arrayContaining([
        'Rollout 1: true; its segment decides',
        'Segment "beta": its constraint decides',
        'number "age" gte "18"',
        'Rollout 2: true for 20 % of entities',
        'Otherwise: false',
      ]),
    );
    expect(tab.messages).toEqual([]);
  });

  it('switches a flag for everybody, and gives it back to its rules', async () => {
    const service = await served();
    const tab = await open(service.url);
    await live(tab);
    const asked = [{ flagKey: 'new-search', entityId: 'u', context: { age: '20' } }];
    await card(tab, 'new-search').getByRole('button', { name: 'off' }).click();
    await card(tab, 'new-search').getByText('Set to false for everybody').waitFor();
    expect(await evaluate(service.url, asked)).toMatchObject([{ enabled: false }]);
    await card(tab, 'new-search').getByRole('button', { name: 'By its rules', pressed: false }).click();
    await card(tab, 'new-search').getByText('off, by its rules').waitFor();
    expect(await evaluate(service.url, asked)).toMatchObject([{ enabled: true }]);
    await card(tab, 'size').getByRole('combobox').selectOption({ label: '3' });
    await card(tab, 'size').getByText('Set to 3 for everybody').waitFor();
    expect(await evaluate(service.url, [{ flagKey: 'size' }])).toMatchObject([{ variantKey: '3' }]);
    expect(tab.messages).toEqual([]);
  });

  it('shows what changes elsewhere, and keeps the focus', async () => {
    const service = await served();
    const tab = await open(service.url);
    await live(tab);
    await card(tab, 'banner').getByRole('button', { name: 'red' }).focus();
    service.set('banner', 'red');
    await card(tab, 'banner').getByText('Set to red for everybody').waitFor();
    await card(tab, 'banner').getByRole('button', { name: 'red', pressed: true }).waitFor();
    service.set('banner', 'blue', { for: 'user-7' });
    await card(tab, 'banner').getByText(', and set for 1 user').waitFor();
    expect(await tab.page.evaluate('document.activeElement.textContent')).toBe('red of banner');
    service.reset();
    await service.load({ flags: [...FEATURES.flags, { key: 'added' }], segments: FEATURES.segments });
    await card(tab, 'added').getByText('disabled', { exact: true }).waitFor();
    expect(tab.messages).toEqual([]);
  });

  it('evaluates and explains, and does so again after a change', async () => {
    const service = await served();
    const tab = await open(service.url);
    await live(tab);
    await explainBanner(tab, 'age=17 years\nplan=pro');
    await tab.page.getByText('Answer: variant "blue", reason DEFAULT').waitFor();
    await tab.page.getByText('the value is "17 years", which is no number').waitFor();
    service.set('banner', 'red');
    await tab.page.getByText('Answer: variant "red"').waitFor();
    await card(tab, 'new-checkout').getByRole('button', { name: 'Why?' }).click();
    await tab.page.getByText('Answer: true, reason DEFAULT').waitFor();
    expect(tab.messages).toEqual([]);
  });

  it('finds flags, and shows at most 200 of a namespace', async () => {
    const flags = Array.from({ length: 205 }, (_, at) => ({ key: `flag-${at}` }));
    const service = await served({ features: { flags } });
    const tab = await open(service.url);
    await live(tab);
    expect(await tab.page.getByRole('article').count()).toBe(200);
    await tab.page.getByText('and 5 more: the filter finds them').waitFor();
    await tab.page.getByLabel('Filter').fill('FLAG-204');
    await card(tab, 'flag-204').waitFor();
    expect(await tab.page.getByRole('article').count()).toBe(1);
  });

  it('says what is wrong while the service is gone, and no longer once it is back', async () => {
    const service = await served({ host: ownAddress() });
    const tab = await open(service.url);
    await live(tab);
    await service.close();
    await tab.page.getByText('No connection to the service').waitFor();
    await card(tab, 'new-search').getByRole('button', { name: 'off' }).click();
    await tab.page.getByText('The service does not answer. Is it running?').waitFor();
    await served({ ...placeOf(service.url), features: { flags: [{ key: 'newer' }] } });
    await card(tab, 'newer').waitFor();
    await live(tab);
    expect(await tab.page.getByRole('alert').allInnerTexts()).toEqual(['', '']);
  });

  it('says what the service refuses, until the next change', async () => {
    const service = await served();
    const tab = await open(service.url);
    await live(tab);
    // Between the look at the page and the click, somebody removes the flag.
    const put = /\/flags\/banner$/;
    await tab.page.route(put, async (route) => {
      await route.fulfill({ status: 404, json: { message: 'flag "default/banner" not found' } });
    });
    await card(tab, 'banner').getByRole('button', { name: 'red' }).click();
    await tab.page.getByText('flag "default/banner" not found').waitFor();
    service.set('banner', 'blue');
    await card(tab, 'banner').getByText('Set to blue for everybody').waitFor();
    expect(await tab.page.getByRole('alert').allInnerTexts()).toEqual(['', '']);
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('has no barrier that axe finds, %s at %i px', async (colorScheme, width) => {
    const service = await served();
    const tab = await open(service.url, { colorScheme, viewport: { width, height: 640 } });
    await live(tab);
    service.set('banner', 'red');
    for (const rules of await tab.page.locator('summary').all()) await rules.click();
    await explainBanner(tab, '');
    await tab.page.getByText('Answer: ').waitFor();
    expect(await tab.violations()).toEqual([]);
    expect(tab.messages).toEqual([]);
  });

  it('leaves room for the rules on a narrow screen, and cuts nothing off', async () => {
    const service = await served();
    const tab = await open(service.url, { viewport: { width: 360, height: 500 } });
    await live(tab);
    for (const rules of await tab.page.locator('summary').all()) await rules.click();
    await explainBanner(tab, '');
    await tab.page.getByText('Answer: ').waitFor();
    const widths = "[...document.querySelectorAll('.rules')].map((rules) => rules.clientWidth)";
    expect(Math.min(...(await tab.page.evaluate<readonly number[]>(widths)))).toBeGreaterThan(180);
    const why =
      "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.getElementById('why'))";
    expect(await tab.page.evaluate<number>(why)).toBe(0);
    expect(await tab.page.evaluate<number>('document.documentElement.scrollWidth')).toBe(360);
  });

  it('can be used with the keyboard alone', async () => {
    const service = await served();
    const tab = await open(service.url);
    await live(tab);
    await explainBanner(tab, '');
    await tab.page.getByText('Answer: ').waitFor();
    await tab.page.locator('h1').click();
    const reached = await reachedByTab(tab);
    const controls = await tab.page.evaluate<readonly string[]>(CONTROLS);
    expect(controls.length).toBeGreaterThan(20);
    expect(controls.filter((control) => !reached.includes(control))).toEqual([]);
    await card(tab, 'banner').getByRole('button', { name: 'red' }).focus();
    await tab.page.keyboard.press('Space');
    await card(tab, 'banner').getByText('Set to red for everybody').waitFor();
  });
});
