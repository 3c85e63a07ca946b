import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listening } from '../traffic/listening.fixture.js';
import { describeInBrowser } from './browser.fixture.js';

const pageOf = (html: string) => `data:text/html,${encodeURIComponent(html)}`;

describeInBrowser('a tab', (open) => {
  it('reports what the page writes to the console, and errors that nobody caught', async () => {
    const { page, messages } = await open(
      pageOf('<script>console.log("said"); throw new Error("thrown")</script>'),
    );
    await page.waitForFunction('document.readyState === "complete"');
    expect(messages).toEqual(['said', 'Error: thrown']);
  });

  it('finds a control without a name', async () => {
    const { violations } = await open(
      pageOf('<!doctype html><html lang="en"><title>A</title><main><h1>B</h1><button></button></main>'),
    );
    expect(await violations()).toEqual(['button-name: <button></button>']);
  });

  it('uses the requested colour scheme', async () => {
    const { page } = await open(pageOf('<title>A</title>'), { colorScheme: 'dark' });
    expect(await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')).toBe(true);
  });

  describe('of a test', () => {
    let server: Awaited<ReturnType<typeof listening>>;
    beforeAll(async () => {
      server = await listening((_, response) => response.end('<!doctype html><title>A</title>'));
    });
    afterAll(() => server.close());

    it.each(['first', 'second'])('finds nothing that the pages of another test have stored, %s', async () => {
      const { page } = await open(server.url);
      const stored = 'document.cookie + Object.keys({ ...localStorage, ...sessionStorage })';
      expect(await page.evaluate(stored)).toBe('');
      await page.evaluate('localStorage.here = sessionStorage.there = document.cookie = "a=b"');
      expect(await page.evaluate(stored)).toBe('a=bhere,there');
    });
  });
});
