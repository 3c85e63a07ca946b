import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import { served } from '../examples/running.fixture.js';

const FEATURES = join(import.meta.dirname, '../../examples/express/features.yml');

export interface Example {
  readonly url: string;
  /** Replaces a text in the example's features file. */
  readonly edit: (before: string, after: string) => void;
}

/**
 * Starts the Express example with a copy of its features file, which the test may edit. The example is stopped after
 * the test.
 */
export async function example(): Promise<Example> {
  const { app, end } = await started();
  onTestFinished(end);
  return app;
}

/**
 * Starts one example for all tests of a `describe`. Each of them finds Flipt running, and none may edit its features.
 */
export function sharedExample(): () => Example {
  let shared: Awaited<ReturnType<typeof started>> | undefined;
  const app = () => {
    if (shared === undefined) throw new Error('the app starts with the tests: ask for it in one');
    return shared.app;
  };
  beforeAll(async () => {
    shared = await started();
  });
  afterEach(async () => {
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(`${app().url}/flipt`, {
      method: 'POST',
      headers,
      body: '{"running":true}',
    });
    if (status !== 204) throw new Error(`Flipt does not start: ${status}`);
  });
  afterAll(() => shared?.end());
  return app;
}

async function started(): Promise<{ readonly app: Example; readonly end: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'flipt-example-'));
  const file = join(folder, 'features.yml');
  copyFileSync(FEATURES, file);
  const { url, kill } = await served(['examples/express/main.js'], { FEATURES_FILE: file });
  const edit = (before: string, after: string) => {
    const text = readFileSync(file, 'utf8');
    if (!text.includes(before)) throw new Error(`features.yml has no ${before}`);
    writeFileSync(
      file,
      text.replace(before, () => after),
    );
  };
  const end = () => {
    kill();
    rmSync(folder, { recursive: true });
  };
  return { app: { url, edit }, end };
}
