import express5, { type RequestHandler } from 'express';
import express4 from 'express4';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ofrep } from '../../../src/adapters/express/index.js';
import { listening } from '../../traffic/listening.fixture.js';

async function asked(
  express: typeof express5,
  mount: (app: ReturnType<typeof express5>, it: RequestHandler) => void,
  path: string,
) {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(warn.mockRestore.bind(warn));
  const app = express();
  mount(app, ofrep({ context: () => ({}), flags: [] }));
  const { url, close } = await listening(app);
  onTestFinished(close);
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++) statuses.push((await fetch(url + path, { method: 'POST', body: '{}' })).status);
  return { status: statuses.at(-1), lines: warn.mock.calls.map(String) };
}

describe.each([
  ['4', express4],
  ['5', express5],
])('in Express %s', (_, express) => {
  it.each([
    ['/ofrep', '/ofrep/v1/evaluate/flags', 'app.use(ofrep(…))'],
    ['/ofrep/v1/evaluate/flags', '/ofrep/v1/evaluate/flags/banner', 'app.use(ofrep(…))'],
    ['/api/ofrep', '/api/ofrep/v1/evaluate/flags', 'app.use("/api", ofrep(…))'],
  ])('mounted at %s, it says once what to write', async (mount, path, right) => {
    const { status, lines } = await asked(express, (app, handler) => void app.use(mount, handler), path);
    expect(status).toBe(404);
    expect(lines).toEqual([
      `[openfeature-flipt-provider] ofrep is mounted at "${mount}" and gets none of its requests, ` +
        `because its own path begins with /ofrep/v1: write ${right}`,
    ]);
  });

  it.each([
    ['/api', '/api/ofrep/v1/evaluate/flags'],
    ['/', '/ofrep/v1/evaluate/flags'],
    ['/api', '/api/other'],
  ])('mounted at %s and asked for %s, it says nothing', async (mount, path) => {
    const { lines } = await asked(express, (app, handler) => void app.use(mount, handler), path);
    expect(lines).toEqual([]);
  });
});
