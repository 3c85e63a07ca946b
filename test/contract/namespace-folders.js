/*
 * Splits a features file into a folder for each namespace, as Flipt v2 stores features.
 *
 *     node test/contract/namespace-folders.js features.yml folder
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const [file, folder] = process.argv.slice(2);
if (file === undefined || folder === undefined) {
  console.error('usage: node test/contract/namespace-folders.js FEATURES_FILE FOLDER');
  process.exit(2);
}

// The text is cut out and not written again. Without its quotes, Flipt's parser would read a text as a date, or as a
// number such as 1.0.
for (const text of readFileSync(file, 'utf8').split(/^---[ \t]*\r?\n/m)) {
  const features = parse(text);
  if (features === null) continue;
  const namespace = features.namespace?.key ?? features.namespace ?? 'default';
  mkdirSync(join(folder, namespace), { recursive: true });
  writeFileSync(join(folder, namespace, 'features.yaml'), text);
}
