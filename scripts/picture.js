/*
 * Takes the picture docs/live.png of the Express example's page. With a folder, it also puts pictures of the page at
 * 1280 and 390 px, light and dark, there: npm run picture -- [folder]. It needs Debian's chromium.
 */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..');
const [folder] = process.argv.slice(2);
const executablePath = process.env.FLIPT_TEST_CHROMIUM || '/usr/bin/chromium';

const app = spawn(process.execPath, ['examples/express/main.js'], {
  cwd: ROOT,
  env: { ...process.env, PORT: '0', FLIPT_URL: '' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const url = await new Promise((resolve, reject) => {
  app.once('close', () => reject(new Error('the example has ended')));
  let output = '';
  app.stdout.on('data', (chunk) => {
    output += String(chunk);
    const [found] = /http:\/\/localhost:\d+\//.exec(output) ?? [];
    if (found !== undefined) resolve(found);
  });
});
// Chromium refuses to run as root with its sandbox.
const browser = await chromium.launch({
  executablePath,
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
try {
  await take(join(ROOT, 'docs/live.png'), { width: 1080, height: 640 });
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    for (const width of [1280, 390]) {
      for (const colorScheme of ['light', 'dark']) {
        await take(join(folder, `${width}-${colorScheme}.png`), { width, height: 900 }, colorScheme, true);
      }
    }
  }
} finally {
  await browser.close();
  app.kill();
}

/** Takes a picture after it has stopped Flipt, and starts Flipt again. */
async function take(path, viewport, colorScheme = 'light', fullPage = false) {
  const page = await browser.newPage({ viewport, colorScheme });
  const says = (selector, text) => page.locator(selector).filter({ hasText: text }).waitFor();
  await page.goto(url);
  await says('#modes thead', /Remote ready.*In-process ready/);
  await says('#browser-flags', 'FLAG_NOT_FOUND');
  if (fullPage) await page.screenshot({ path: path.replace('.png', '-up.png'), animations: 'disabled' });
  await page.getByRole('button', { name: 'Stop Flipt' }).click();
  await says('#modes thead', /Remote stale.*In-process stale/);
  await says('#meaning', '8 of 8 are errors');
  await page.evaluate('document.activeElement.blur()');
  await page.screenshot({ path, fullPage, animations: 'disabled' });
  await page.getByRole('button', { name: 'Start Flipt' }).click();
  await says('#modes thead', /Remote ready.*In-process ready/);
  await page.close();
}
