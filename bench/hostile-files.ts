/**
 * Measures how long hostile features files of about 250 kB take until they are read or refused, in milliseconds of
 * processor time. It exits with 1 if one takes more than 500 ms.
 *
 *   npx tsx bench/hostile-files.ts
 */
import { readFeatures } from '../src/features/read-features.js';
import { HOSTILE_FILES } from '../test/features/hostile-files.fixture.js';

const MOST_MS = 500;

for (const { name, text } of HOSTILE_FILES) {
  const before = process.cpuUsage();
  const outcome = await readFeatures(text, 'v1').then(
    () => 'read',
    () => 'refused',
  );
  const { user, system } = process.cpuUsage(before);
  const ms = Math.round((user + system) / 1000);
  console.log(
    `${String(ms).padStart(6)} ms  ${outcome.padEnd(8)}${String(text.length).padStart(8)} B  ${name}`,
  );
  if (ms > MOST_MS) process.exitCode = 1;
}
