import { fileStore } from '../../src/stores/file-store.js';
import { writeKept } from '../../src/stores/checked-text.js';
import { ORIGIN } from '../stores/origin.fixture.js';

/*
 * Runs in a process of its own, until it is killed: saves one snapshot after another in the file that it is given,
 * longer and shorter ones, and prints a line for each.
 */
const [, , path = ''] = process.argv;
const store = fileStore(path);
for (let count = 1; ; count++) {
  const body = JSON.stringify({ flags: Array.from({ length: (count % 3) * 2_000 }, () => ({ key: 'a' })) });
  await store.save(writeKept({ body, version: String(count), etag: undefined, confirmedAt: count }, ORIGIN));
  process.stdout.write('saved\n');
}
