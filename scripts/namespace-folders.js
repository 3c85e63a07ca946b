/*
 * Lays a features file out as Flipt v2 keeps features: a folder for each namespace.
 *
 *     node scripts/namespace-folders.js features.yml folder
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';

const [file, folder] = process.argv.slice(2);
if (file === undefined || folder === undefined) {
  console.error('usage: node scripts/namespace-folders.js FEATURES_FILE FOLDER');
  process.exit(2);
}

for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
  const features = document.toJS();
  const namespace = features.namespace?.key ?? features.namespace ?? 'default';
  mkdirSync(join(folder, namespace), { recursive: true });
  writeFileSync(join(folder, namespace, 'features.yaml'), stringify(features));
}
