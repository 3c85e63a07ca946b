import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ask, evaluate } from '../local/requests.fixture.js';
import { describeInBrowser, type Tab } from './browser.fixture.js';
import { card, explainBanner, live, served } from './page.fixture.js';

const TOKEN = 'dummy-bootstrap';
const PATH = '/local/v1/namespaces/default/flags/new-checkout';

/** Another site, with a name that leads to this machine. */
async function site(html: string): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(html);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return `http://elsewhere.test:${(server.address() as AddressInfo).port}`;
}

/** Tries every way in which a page can send a request, and returns the outcomes. */
const attempts = (url: string) => `Promise.all([
  fetch('${url}${PATH}', { method: 'PUT', body: '{"value":false}', headers: { 'content-type': 'application/json' } }),
  fetch('${url}${PATH}', { method: 'PUT', body: '{"value":false}' }),
  fetch('${url}${PATH}', { method: 'DELETE' }),
  fetch('${url}/local/v1/state'),
  fetch('${url}/local/v1/changes'),
  fetch('${url}/local/v1/namespaces/default/explanations', { method: 'POST', body: '{}' }),
].map((sent) => sent.then((response) => response.status, () => 'refused')))`;

const isOn = async (url: string, token?: string) => {
  const body = { requests: [{ flagKey: 'new-checkout' }] };
  const answer = await ask(url, 'POST /evaluate/v1/batch', { body, ...(token !== undefined && { token }) });
  return answer.body.responses;
};
const ON = [{ booleanResponse: { enabled: true } }];

describeInBrowser('the page of the embedded service', (open) => {
  it('runs nothing from features as code', async () => {
    const hostile = [
      '<script>window.harmed = true</script>',
      '<img src=x onerror="window.harmed = true">',
      '"><svg onload=window.harmed=true>',
      "'; window.harmed = true; //",
      '</textarea></select><b>bold</b>',
      '\u202egnitirw\u2066',
      '{{constructor.constructor("window.harmed=true")()}}',
      'javascript:window.harmed=true',
    ];
    const texts = hostile.join(' ');
    const service = await served({
      features: {
        namespace: { key: 'default', name: texts },
        flags: [
          {
            key: 'banner',
            name: texts,
            description: texts,
            enabled: true,
            variants: hostile.map((key) => ({ key, name: texts, attachment: { text: texts } })),
            rules: [{ segment: 'all', distributions: [{ variant: hostile[0] ?? '', rollout: 100 }] }],
          },
        ],
        segments: [
          {
            key: 'all',
            name: texts,
            match_type: 'ANY_MATCH_TYPE',
            constraints: [
              { type: 'STRING_COMPARISON_TYPE', property: texts, operator: 'neq', value: texts },
              { type: 'ENTITY_ID_COMPARISON_TYPE', property: 'entityId', operator: 'notempty' },
            ],
          },
        ],
      },
    });
    const tab = await open(service.url);
    await live(tab);
    await card(tab, 'banner').locator('summary').click();
    await explainBanner(tab, hostile.map((text) => `a${text.length}=${text}`).join('\n'));
    await tab.page.getByText('Answer: variant "<script>window.harmed = true</script>"').waitFor();
    await card(tab, 'banner').getByRole('combobox').selectOption({ index: 2 });
    await card(tab, 'banner').getByText('Set to <img src=x').waitFor();
    expect(await tab.page.evaluate('window.harmed')).toBeUndefined();
    expect(await tab.page.locator('script, img, svg, b').count()).toBe(1);
    expect(await tab.violations()).toEqual([]);
    expect(tab.messages).toEqual([]);
  });

  it('cannot be read or used by a page of another origin', async () => {
    const { url } = await served();
    const { page } = await open(await site('<title>Elsewhere</title>'));
    expect(await page.evaluate(attempts(url))).toEqual(Array(6).fill('refused'));
    expect(await isOn(url)).toMatchObject(ON);
  });

  it('is not shown in a frame of another page', async () => {
    const { url } = await served();
    const { page } = await open(await site(`<title>Elsewhere</title><iframe src="${url}"></iframe>`));
    await page.waitForFunction('document.readyState === "complete"');
    const inside = page.frameLocator('iframe');
    expect(await inside.getByRole('button').count()).toBe(0);
    expect(await inside.getByRole('status').count()).toBe(0);
  });

  it('is refused under a name that was pointed to this machine', async () => {
    const { url } = await served();
    const { page } = await open(url.replace('127.0.0.1', 'rebound.test'));
    expect(await page.textContent('body')).toContain('the host \\"rebound.test\\" is not allowed');
    expect(await page.evaluate(attempts(''))).toEqual(Array(6).fill(403));
    expect(await isOn(url)).toMatchObject(ON);
  });

  it('asks for a token if one is required, and keeps it in memory only', async () => {
    const { url } = await served({ bootstrapToken: TOKEN });
    const tab: Tab = await open(url);
    const { page } = tab;
    await page.getByRole('heading', { name: 'This service requires a token' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
    expect(tab.messages).toEqual([]);
    expect(await tab.violations()).toEqual([]);
    // The state says only that the token is not accepted.
    expect(await page.evaluate(attempts(''))).toEqual([401, 401, 401, 200, 401, 401]);
    expect(await isOn(url, TOKEN)).toMatchObject(ON);

    const before = tab.messages.length;
    for (const [wrong, words] of [
      ['dummy-ż', 'No token has the letter “ż”.'],
      ['dummy-wrong', 'The service does not accept this token.'],
    ] as const) {
      await page.getByRole('textbox', { name: 'Token' }).fill(wrong);
      await page.keyboard.press('Enter');
      await page.getByText(words).waitFor();
    }
    await page.getByRole('textbox', { name: 'Token' }).fill(TOKEN);
    await page.keyboard.press('Enter');
    await live(tab);
    await card(tab, 'new-checkout').getByRole('button', { name: 'off' }).click();
    await card(tab, 'new-checkout').getByText('Set to false').waitFor();
    expect(await isOn(url, TOKEN)).toMatchObject([{ booleanResponse: { enabled: false } }]);
    expect(tab.messages.slice(before)).toEqual([]);

    const kept = await page.evaluate<string>(
      'location.href + document.cookie + JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) + document.documentElement.outerHTML',
    );
    expect(kept).not.toContain(TOKEN);
    await page.reload();
    await page.getByRole('heading', { name: 'This service requires a token' }).waitFor();
  });

  it('is served to browsers; other clients get a 404, as from Flipt', async () => {
    const { url } = await served();
    expect(await ask(url, 'GET /')).toMatchObject({ status: 404, body: { message: 'Not Found' } });
    expect(await ask(url, 'GET /local/page/nothing.js')).toMatchObject({ status: 404 });
    expect(await ask(url, 'GET /local/page/..%2fpage-routes.ts')).toMatchObject({ status: 404 });
    expect(await evaluate(url, [{ flagKey: 'new-checkout' }])).toMatchObject([{ enabled: true }]);
  });
});
