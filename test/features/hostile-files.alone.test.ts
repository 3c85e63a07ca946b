import { expect, it } from 'vitest';
import { readFeatures } from '../../src/features/read-features.js';
import { complaintAbout } from './loading.fixture.js';
import { HOSTILE_FILES } from './hostile-files.fixture.js';

// `npx tsx bench/hostile-files.ts` measures how long each takes. Without a limit, some of these take hours.
it.each(HOSTILE_FILES)(
  'a file of $name is read or refused',
  { timeout: 20_000 },
  async ({ text, refused }) => {
    if (refused === undefined) await readFeatures(text, 'v1');
    else expect(await complaintAbout(text)).toContain(refused);
  },
);
