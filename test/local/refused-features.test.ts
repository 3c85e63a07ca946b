import { once } from 'node:events';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { useFolder } from './folder.fixture.js';
import { ask } from './requests.fixture.js';

const at = useFolder();
/** Flipt v2 wants a name; v1 imports the file without. */
const NAMELESS = 'flags:\n  - key: banner\n  - key: other\n';
const PROBLEM = 'The name of flag "banner" is missing, but must be a text in one line.';

const services: LocalService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});
async function started(options: Parameters<typeof startLocalService>[0]): Promise<LocalService> {
  const service = await startLocalService(options);
  services.push(service);
  return service;
}

describe('features that Flipt would refuse', () => {
  it('are served with a warning that says where, what and what to write', async () => {
    const features = at('nameless.yml');
    await writeFile(features, NAMELESS);
    const warned = once(process, 'warning');
    const { url } = await started({ features, semantics: 'v2' });
    const [warning] = (await warned) as [Error & { code: string }];
    expect([warning.name, warning.code]).toEqual(['FliptWarning', 'FLIPT_REFUSES']);
    expect(warning.message).toBe(
      `${features}:2:5: ${PROBLEM} Flipt 2.11 serves no flag of this environment. Write a name. ` +
        'Run openfeature-flipt-provider lint to see 1 more.',
    );
    expect(await ask(url, 'GET /local/v1/state')).toMatchObject({ body: { refused: warning.message } });
  });

  it('are refused if the service is strict, also when they are loaded later', async () => {
    const strict = { semantics: 'v2', strict: true } as const;
    await expect(started({ features: NAMELESS, ...strict })).rejects.toThrow(
      new RegExp(`^features:2:5: ${PROBLEM} .*\nfeatures:3:5: The name of flag "other" .*$`),
    );
    await expect(started({ features: { flags: [{ key: 'a' }] }, ...strict })).rejects.toThrow(
      /^features: document 1: flags\[0\]\.name: The name of flag "a" is missing/,
    );
    const service = await started({ features: { flags: [{ key: 'a', name: 'A' }] }, ...strict });
    await expect(service.load(NAMELESS)).rejects.toThrow(PROBLEM);
    expect(await ask(service.url, 'GET /local/v1/state')).toMatchObject({ body: { refused: '' } });
  });

  it('leave no message if they could not be saved, so that the old features stay', async () => {
    await mkdir(at('disk'));
    const service = await started({ features: { flags: [] }, semantics: 'v2', data: at('disk/data.json') });
    await rename(at('disk'), at('away'));
    await expect(service.load(NAMELESS)).rejects.toThrow('could not be saved');
    expect(await ask(service.url, 'GET /local/v1/state')).toMatchObject({ body: { refused: '' } });
  });

  it('give no warning if that Flipt takes them, or if they are objects of a test', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    await started({ features: NAMELESS });
    const { url } = await started({ features: { flags: [{ key: 'a' }] }, semantics: 'v2' });
    await new Promise(setImmediate);
    process.off('warning', note);
    expect(warnings).toEqual([]);
    expect(await ask(url, 'GET /local/v1/state')).toMatchObject({ body: { refused: '' } });
  });
});
