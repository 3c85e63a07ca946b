import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe } from 'vitest';

/** Debian's package `chromium` puts the browser here. FLIPT_TEST_CHROMIUM names another one. */
const CHROMIUM = process.env.FLIPT_TEST_CHROMIUM || '/usr/bin/chromium';
const START_MS = 60_000;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A new tab, which shares nothing with the tabs of other tests. */
export interface Tab {
  readonly page: Page;
  /** Everything that the page has written to the console, and its errors that nobody caught. */
  readonly messages: readonly string[];
  /** Returns what axe-core finds wrong now: a line for each rule and place. */
  readonly violations: () => Promise<readonly string[]>;
}

/** How a tab differs from that of a desktop with light colours. */
export interface TabOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce';
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** Opens a page in a tab that is closed after the test. */
export type OpenTab = (url: string, options?: TabOptions) => Promise<Tab>;

/**
 * Calls Vitest's `describe` with a browser. Without chromium the tests are skipped; if FLIPT_TEST_BROWSER is
 * `required`, they fail.
 */
export function describeInBrowser(name: string, tests: (open: OpenTab) => void): void {
  const isMissing = !existsSync(CHROMIUM);
  const isSkipped = isMissing && process.env.FLIPT_TEST_BROWSER !== 'required';
  if (isSkipped) {
    console.warn(`Skipped: ${name}, since there is no ${CHROMIUM} (apt-get install chromium)`);
  }
  describe.skipIf(isSkipped)(name, () => {
    let browser: Browser | undefined;
    let profile: Profile | undefined;
    beforeAll(async () => {
      if (isMissing) throw new Error(`FLIPT_TEST_BROWSER=required, and there is no ${CHROMIUM}`);
      browser = await launch();
      profile = await newProfile(browser);
    }, START_MS);
    afterAll(() => browser?.close());
    afterEach(() => profile?.clear());
    tests((url, options) => {
      if (profile === undefined) throw new Error('the browser starts with the tests: open a tab in one');
      return openTab(profile.context, url, options);
    });
  });
}

/**
 * Starts the browser. In it, names that end with .test lead to this machine, like the name of a site whose owner has
 * pointed it here.
 */
function launch(): Promise<Browser> {
  // Chromium refuses to run as root with its sandbox.
  const isRoot = process.getuid?.() === 0;
  const args = [...(isRoot ? ['--no-sandbox'] : []), '--host-resolver-rules=MAP *.test 127.0.0.1'];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** What the tabs of a file have in common. Each test finds it empty. */
interface Profile {
  readonly context: BrowserContext;
  /** Closes the tabs, and deletes what their pages have stored. */
  readonly clear: () => Promise<void>;
}

async function newProfile(browser: Browser): Promise<Profile> {
  const context = await browser.newContext();
  // This tab keeps the window open between tests, because a profile and a window for each test took longer than most
  // tests.
  const first = await context.newPage();
  const devTools = await context.newCDPSession(first);
  return {
    context,
    async clear() {
      const tabs = context.pages().filter((page) => page !== first);
      await Promise.all(tabs.map((tab) => tab.close()));
      await devTools.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
    },
  };
}

async function openTab(
  context: BrowserContext,
  url: string,
  { viewport, ...media }: TabOptions = {},
): Promise<Tab> {
  const page = await context.newPage();
  await page.emulateMedia(media);
  if (viewport !== undefined) await page.setViewportSize(viewport);
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(String(error)));
  await page.goto(url);
  const violations = async () => {
    // axe-core is loaded only here, because a page needs most of a second to compile it. It is not added as a script of
    // the page, because the page's Content-Security-Policy would refuse that.
    if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(readFileSync(AXE, 'utf8'));
    const { violations: found } = await page.evaluate<AxeResults>('axe.run()');
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  };
  return { page, messages, violations };
}
