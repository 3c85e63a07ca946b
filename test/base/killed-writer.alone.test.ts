import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { it } from 'vitest';
import { systemClock } from '../../src/base/time/clock.js';
import { fileStore } from '../../src/snapshot/file-store.js';
import { readSnapshotText } from '../../src/snapshot/text.js';
import { useFolder } from '../local/folder.fixture.js';
import { startScript } from '../process.fixture.js';
import { ORIGIN } from '../snapshot/origin.fixture.js';

const at = useFolder();
const FILES = 3;
const ROUNDS_PER_FILE = 4;

it(`the file is complete, however often its writer is killed: ${FILES * ROUNDS_PER_FILE} rounds`, async () => {
  const script = at('writer.mjs');
  const writer = fileURLToPath(new URL('endless-writer.fixture.ts', import.meta.url));
  await build({ entryPoints: [writer], outfile: script, bundle: true, platform: 'node', format: 'esm' });
  const killAgainAndAgain = async (path: string) => {
    for (let round = 0; round < ROUNDS_PER_FILE; round++) {
      const { printed, kill, ended } = startScript(script, [path]);
      // After it has saved one snapshot, it is saving the next one.
      await printed(new RegExp(`(saved\n){${1 + (round % 5)}}`));
      kill('SIGKILL');
      await ended;
      const { text } = await fileStore(path, ORIGIN, systemClock).load();
      await readSnapshotText(text as Buffer, ORIGIN, systemClock);
    }
  };
  await Promise.all(Array.from({ length: FILES }, (_, file) => killAgainAndAgain(at(`snapshot-${file}`))));
}, 60_000);
