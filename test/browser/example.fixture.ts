import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { served, type Running } from '../examples/running.fixture.js';

const FEATURES = join(import.meta.dirname, '../../examples/express/features.yml');

const apps: Running[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const app of apps.splice(0)) app.kill();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The Express example, with a copy of its features file for the test to edit. It is stopped after the test. */
export async function example() {
  const folder = mkdtempSync(join(tmpdir(), 'flipt-example-'));
  folders.push(folder);
  const file = join(folder, 'features.yml');
  copyFileSync(FEATURES, file);
  const app = await served(['examples/express/main.js'], { FEATURES_FILE: file });
  apps.push(app);
  return {
    url: app.url,
    edit: (before: string, after: string) => {
      const text = readFileSync(file, 'utf8');
      if (!text.includes(before)) throw new Error(`features.yml has no ${before}`);
      writeFileSync(
        file,
        text.replace(before, () => after),
      );
    },
  };
}
