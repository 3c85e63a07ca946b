import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { startLocalService } from '../../src/local/index.js';
import { FEATURES } from '../in-process/features.fixture.js';
import { useFolder } from '../local/folder.fixture.js';
import { localService, refusedAddress, serving } from '../provider/open.fixture.js';
import { ran, withUnreadable } from './ran.fixture.js';

const at = useFolder();
const written = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;

describe('openfeature-flipt-provider snapshot', () => {
  it('writes the flags of a namespace, and when Flipt confirmed them', async () => {
    const { url } = await localService({ features: FEATURES });
    const out = at('new/folder/flags.json');
    const before = Date.now();
    expect(await ran(['snapshot', '--url', url, '--out', out])).toEqual({
      code: 0,
      out: `Wrote ${out}: 2 flags`,
      err: '',
    });
    const { confirmedAt, ...snapshot } = await written(out);
    expect(snapshot).toMatchObject({
      namespace: { key: 'default' },
      flags: [{ key: 'banner' }, { key: 'colour' }],
      semantics: 'v1',
    });
    expect(Date.parse(String(confirmedAt))).toBeGreaterThanOrEqual(before);
  });

  it('names namespace and environment, of arguments or variables', async () => {
    const features = { ...FEATURES, namespace: 'shop' };
    const { url } = await localService({ features, semantics: 'v2' });
    const out = at('environment.json');
    const env = { FLIPT_URL: url, FLIPT_NAMESPACE: 'shop', FLIPT_ENVIRONMENT: 'default' };
    expect(await ran(['snapshot', '--out', out], env)).toMatchObject({ code: 0 });
    expect(await written(out)).toMatchObject({
      namespace: { key: 'shop' },
      environment: 'default',
      semantics: 'v2',
    });
  });

  it('sends the credentials of the environment', async () => {
    const service = await localService({ features: FEATURES, bootstrapToken: 'dummy' });
    const asked = ['snapshot', '--url', service.url, '--out', at('token.json')];
    expect(await ran(asked)).toMatchObject({ code: 1, err: expect.stringContaining('401') as string });
    expect(await ran(asked, { FLIPT_TOKEN: 'dummy' })).toMatchObject({ code: 0 });
  });

  it('replaces its own file, also if it was formatted, and keeps its mode', async () => {
    const { url } = await localService({ features: FEATURES });
    const out = at('again.json');
    const asked = ['snapshot', '--url', url, '--out', out];
    await ran(asked);
    const usual = at('usual');
    await writeFile(usual, '');
    // An image runs as another user than the one that builds it.
    expect((await stat(out)).mode & 0o777).toBe((await stat(usual)).mode & 0o644);
    await writeFile(out, JSON.stringify(await written(out), null, 2));
    for (const mode of [0o600, 0o666]) {
      await chmod(out, mode);
      expect(await ran(asked)).toMatchObject({ code: 0 });
      expect((await stat(out)).mode & 0o777).toBe(mode);
    }
  });

  it.each(['{ "mine": true }', '{"confirmedAt":"2026","mine":true}'])(
    'replaces no other file: %s',
    async (mine) => {
      const { url } = await localService({ features: FEATURES });
      const out = at('mine.json');
      await writeFile(out, mine);
      const { code, err } = await ran(['snapshot', '--url', url, '--out', out]);
      expect([code, err]).toEqual([
        1,
        `error: ${out}: it was not written by this package, and is not overwritten; ` +
          'move it away, or name another file',
      ]);
      expect(await readFile(out, 'utf8')).toBe(mine);
    },
  );

  it('leaves the last file if Flipt is down or the namespace is empty', async () => {
    const service = await startLocalService({ features: FEATURES });
    const out = at('last.json');
    await ran(['snapshot', '--url', service.url, '--out', out]);
    const last = await readFile(out, 'utf8');
    const empty = await ran(['snapshot', '--url', service.url, '--out', out, '--namespace', 'other']);
    await service.close();
    expect(empty).toMatchObject({ code: 1 });
    expect(empty.err).toContain('namespace "other" has no flags; choose another with --namespace');
    const down = await ran(['snapshot', '--url', await refusedAddress(), '--out', out]);
    expect(down).toMatchObject({
      code: 1,
      err: expect.stringContaining('is Flipt running there?') as string,
    });
    expect(await readFile(out, 'utf8')).toBe(last);
  });

  it('says that a service has no snapshots', async () => {
    const { url } = await serving((_, response) => response.writeHead(404).end());
    const { code, err } = await ran(['snapshot', '--url', url, '--out', at('none.json')]);
    expect(code).toBe(1);
    expect(err).toMatch(/this Flipt seems to offer no snapshots, which snapshot needs$/);
  });

  it('names a flag that cannot be read, and keeps it', async () => {
    const { url } = await serving(() => undefined, withUnreadable);
    const out = at('unreadable.json');
    const { code, err } = await ran(['snapshot', '--url', url, '--out', out]);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^Flag "list" gives defaults while Flipt is down, because it cannot be read \(type: .*\)$/,
    );
    expect(await written(out)).toMatchObject({ flags: [{ key: 'banner' }, { key: 'list' }] });
  });
});
