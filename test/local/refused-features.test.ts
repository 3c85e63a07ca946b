import { once } from 'node:events';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startLocalService, type LocalService } from '../../src/local/index.js';
import { useFolder } from './folder.fixture.js';
import { ask, evaluate } from './requests.fixture.js';

const at = useFolder();
/** Flipt v2 wants a name; v1 imports the file without. */
const NAMELESS = 'flags:\n  - key: banner\n  - key: other\n';
const PROBLEM = 'missing, but it must be a text in one line.';

const services: LocalService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});
async function started(options: Parameters<typeof startLocalService>[0]): Promise<LocalService> {
  const service = await startLocalService(options);
  services.push(service);
  return service;
}

describe('features that Flipt takes, and that are probably a mistake', () => {
  const withConstraint = (value: string, type = 'NUMBER') =>
    `version: '1.4'\nsegments:\n  - key: s\n    name: S\n    match_type: ALL_MATCH_TYPE\n    constraints: [{ type: ${type}_COMPARISON_TYPE, property: p, operator: eq, value: ${value} }]\n`;
  it.each([
    ['a number that is none', 'v1', withConstraint('many')],
    ['a number that is none', 'v2', withConstraint('many')],
    ['a date that is none', 'v2', withConstraint('yesterday', 'DATETIME')],
    [
      'two default variants',
      'v2',
      `version: '1.4'\nflags:\n  - { key: f, name: F, variants: [{ key: a, default: true }, { key: b, default: true }] }\n`,
    ],
    ['a misspelt member', 'v1', 'flags:\n  - { key: f, enabeld: true }\n'],
  ] as const)(
    'are served with a warning, also if the service is strict: %s, %s',
    async (_, semantics, features) => {
      const warned = once(process, 'warning');
      await started({ features, semantics, strict: true });
      const [warning] = (await warned) as [Error & { code: string }];
      expect(warning.code).toBe('FLIPT_REFUSES');
    },
  );

  it('a segment with a malformed constraint is in no rule of v2', async () => {
    const segments = withConstraint('many').replace(`version: '1.4'\n`, '');
    const flag = `{ key: f, name: F, type: BOOLEAN_FLAG_TYPE, rollouts: [{ segment: { keys: [s, t], operator: AND_SEGMENT_OPERATOR, value: true } }] }`;
    const features = `version: '1.4'\nflags:\n  - ${flag}\n${segments}${segments
      .split('\n')
      .slice(1)
      .join('\n')
      .replace('key: s', 'key: t')}`;
    const { url } = await started({ features, semantics: 'v2' });
    expect(await evaluate(url, [{ flagKey: 'f' }])).toMatchObject([
      { enabled: true, reason: 'MATCH_EVALUATION_REASON' },
    ]);
  });

  it('members of metadata keep their names', async () => {
    const features =
      'flags:\n  - { key: f, metadata: { constructor: acme, prototype: 1, __proto__: 2, team: x } }\n';
    const { url } = await started({ features });
    const { body } = await ask(url, 'GET /api/v1/namespaces/default/flags');
    const [flag] = (body as { flags: readonly { metadata: object }[] }).flags;
    expect(JSON.stringify(flag?.metadata)).toBe(
      '{"__proto__":2,"constructor":"acme","prototype":1,"team":"x"}',
    );
  });
});

describe('features that Flipt would refuse', () => {
  it('are served with a warning that says where, what and what to write', async () => {
    const features = at('nameless.yml');
    await writeFile(features, NAMELESS);
    const warned = once(process, 'warning');
    const { url } = await started({ features, semantics: 'v2' });
    const [warning] = (await warned) as [Error & { code: string }];
    expect([warning.name, warning.code]).toEqual(['FliptWarning', 'FLIPT_REFUSES']);
    expect(warning.message).toBe(
      `${features}:2:5: flags[0].name: ${PROBLEM} Flipt 2.11 serves no flag of this environment. Write a name. ` +
        'Run openfeature-flipt-provider lint to see 1 more.',
    );
    expect(await ask(url, 'GET /local/v1/state')).toMatchObject({ body: { refused: warning.message } });
  });

  it('are refused if the service is strict, also when they are loaded later', async () => {
    const strict = { semantics: 'v2', strict: true } as const;
    await expect(started({ features: NAMELESS, ...strict })).rejects.toThrow(
      new RegExp(`^features:2:5: flags\\[0\\]\\.name: ${PROBLEM} .*\nfeatures:3:5: flags\\[1\\]\\.name: .*$`),
    );
    await expect(started({ features: { flags: [{ key: 'a' }] }, ...strict })).rejects.toThrow(
      /^features: document 1: flags\[0\]\.name: missing/,
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
