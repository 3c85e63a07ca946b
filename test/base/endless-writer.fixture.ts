import { systemClock } from '../../src/base/time/clock.js';
import { fileStore } from '../../src/snapshot/file-store.js';
import { ORIGIN } from '../snapshot/origin.fixture.js';

/*
 * This script runs in another process until that is killed. It saves longer and shorter snapshots in the given file,
 * one after another, and prints a line for each.
 */
const [, , path = ''] = process.argv;
const store = fileStore(path, ORIGIN, systemClock);
const { url, namespace } = ORIGIN;
for (let count = 1; ; count++) {
  const flags = Array.from({ length: (count % 3) * 2_000 }, (_, at) => ({ key: `${at}` }));
  await store.save(JSON.stringify({ format: 2, url, semantics: 'v1', namespace: { key: namespace }, flags }));
  process.stdout.write('saved\n');
}
