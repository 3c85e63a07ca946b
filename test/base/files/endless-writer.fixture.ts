import { fileStore } from '../../../src/snapshot/stores/file-store.js';
import { keptBeginning } from '../../../src/snapshot/kept-text.js';
import { encodeKept } from '../../snapshot/kept-text.fixture.js';
import { ORIGIN } from '../../snapshot/origin.fixture.js';

/*
 * This script runs in another process until that is killed. It saves longer and shorter snapshots in the given file,
 * one after another, and prints a line for each.
 */
const [, , path = ''] = process.argv;
const store = fileStore(path, keptBeginning(ORIGIN));
for (let count = 1; ; count++) {
  const body = JSON.stringify({ flags: Array.from({ length: (count % 3) * 2_000 }, () => ({ key: 'a' })) });
  await store.save(encodeKept({ body, version: String(count), etag: undefined, confirmedAt: count }, ORIGIN));
  process.stdout.write('saved\n');
}
