import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.fixture.js';
import { localService, open, starting, temporaryFolder, untilSnapshot } from '../provider/open.fixture.js';
import { FEATURES } from './features.fixture.js';

let file: string;
beforeEach(async () => {
  file = join(await temporaryFolder(), 'snapshot');
});

describe('a file of somebody else', () => {
  it.each(['namespace: default\nflags: []\n', '{ "name": "app" }', '{"format":1,"mine":true}'])(
    'is neither used nor replaced, with one warning: %j',
    async (text) => {
      await writeFile(file, text);
      const service = await localService({ features: FEATURES });
      const { logger, provider, registered } = starting({ url: service.url, snapshot: { file } });
      await registered;
      await untilSnapshot(provider);
      expect(provider.getStatus().store?.isFailing).toBe(true);
      await provider.onClose();
      expect(await readFile(file, 'utf8')).toBe(text);
      expect(logger.warn.mock.calls).toEqual([
        [
          `snapshot.file ${file} could not load the snapshot: it was not written by this package, and is not ` +
            'overwritten; move it away, or name another file; the provider goes on without it',
        ],
      ]);
    },
  );

  it('is not replaced by a process with another namespace, and the log says so', async () => {
    const namespaces = [FEATURES, { ...FEATURES, namespace: 'team' }].map((part) => JSON.stringify(part));
    const service = await localService({ features: namespaces.join('\n') });
    const second = starting({ url: service.url, namespace: 'team', snapshot: { file } });
    await second.registered;
    await eventually(() => {
      expect(second.provider.getStatus().store?.savedAt).not.toBeNull();
    });
    await rm(file);
    const { provider: first } = await open({ url: service.url, snapshot: { file } });
    await untilSnapshot(first);
    await first.onClose();
    const kept = await readFile(file, 'utf8');
    service.set('colour', 'blue', { namespace: 'team' });
    const version = () => second.provider.getStatus().watch?.version;
    const before = version();
    second.provider.invalidate();
    await eventually(() => {
      expect(version()).not.toBe(before);
    });
    // Completes the save.
    await second.provider.onClose();
    expect(await readFile(file, 'utf8')).toBe(kept);
    expect(second.logger.warn.mock.calls).toEqual([
      [
        `snapshot.file ${file} could not save the snapshot: another process uses the file: it belongs to ` +
          'namespace "default", and the option is "team"; if both are in use, keep them in two places; the provider goes on without it',
      ],
    ]);
  });
});
