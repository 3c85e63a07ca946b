import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useFolder } from '../local/folder.fixture.js';
import { readYaml } from '../../src/features/read-yaml.js';
import { complaintAbout, load, problemsIn } from './loading.fixture.js';

const at = useFolder();

const BOOLEAN = 'flags:\n  - key: new\n    type: BOOLEAN_FLAG_TYPE\n    enabled: true\n';

describe('features', () => {
  it('are read from a path, a file URL, YAML, JSON and objects', async () => {
    const path = at('features.yml');
    await writeFile(path, BOOLEAN);
    const document = { flags: [{ key: 'new', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] } as const;
    const sources = [path, pathToFileURL(path), BOOLEAN, JSON.stringify(document), document, [document]];
    const all = await Promise.all(sources.map((source) => load(source)));
    for (const namespaces of all) {
      expect(namespaces.get('default')?.flags.get('new')).toMatchObject({
        name: '',
        enabled: true,
        rollouts: [],
      });
    }
  });

  it('are of the namespace that their document names, by key or described; default is always there', async () => {
    const namespaces = await load(
      'version: 1.4\nnamespace: one\n---\nnamespace: {key: two, name: Two, description: d}\n---\n',
    );
    expect(Array.from(namespaces.values(), ({ key, name, description }) => [key, name, description])).toEqual(
      [
        ['default', 'Default', ''],
        ['one', 'one', ''],
        ['two', 'Two', 'd'],
      ],
    );
  });

  it('have every default filled in', async () => {
    const namespaces = await load({
      flags: [{ key: 'f', variants: [{ key: 'a' }], rules: [{ segment: 's' }], metadata: { team: 'web' } }],
      segments: [{ key: 's', constraints: null }],
    });
    const { flags, segments } = namespaces.get('default')!;
    expect(segments.get('s')).toMatchObject({
      name: '',
      description: '',
      matchType: 'ALL_MATCH_TYPE',
      constraints: [],
    });
    expect(flags.get('f')).toMatchObject({
      type: 'VARIANT_FLAG_TYPE',
      enabled: false,
      rules: [{ rank: 1, segmentKeys: ['s'], segmentOperator: 'OR_SEGMENT_OPERATOR', distributions: [] }],
    });
  });

  it('store choices of segments as the service does: no key twice, several sorted, one alone with OR', async () => {
    const operator = 'AND_SEGMENT_OPERATOR';
    const namespaces = await load({
      flags: [
        {
          key: 'f',
          type: 'BOOLEAN_FLAG_TYPE',
          rollouts: [
            { segment: { keys: ['b', 'a', 'b'], operator, value: true } },
            { segment: { key: 'a', keys: null, operator } },
            { threshold: { percentage: 12.5 } },
          ],
          rules: [{ segment: { keys: ['a', 'a'], operator } }],
        },
      ],
      segments: [{ key: 'a' }, { key: 'b' }],
    });
    expect(namespaces.get('default')?.flags.get('f')).toMatchObject({
      rollouts: [
        { kind: 'segment', segmentKeys: ['a', 'b'], segmentOperator: operator, value: true },
        { kind: 'segment', segmentKeys: ['a'], segmentOperator: 'OR_SEGMENT_OPERATOR', value: false },
        { kind: 'threshold', percentage: 12.5, value: false },
      ],
      rules: [{ segmentKeys: ['a'], segmentOperator: 'OR_SEGMENT_OPERATOR' }],
    });
  });

  it('keep attachments as JSON text', async () => {
    const variants = [
      { key: 'a', attachment: { a: [1, 'é'] } },
      { key: 'b', attachment: null },
      { key: 'c', attachment: 0 },
    ];
    const namespaces = await load({ flags: [{ key: 'f', variants }] });
    const stored = Array.from(namespaces.get('default')!.flags.get('f')!.variants.values());
    expect(stored.map(({ attachment }) => attachment)).toEqual(['{"a":[1,"é"]}', '', '0']);
  });

  it('have operators in lower case, and no value for those that need none', async () => {
    const constraints = [
      { type: 'STRING_COMPARISON_TYPE', property: 'p', operator: 'EQ', value: 'A' },
      { type: 'BOOLEAN_COMPARISON_TYPE', property: 'p', operator: 'True', value: 'ignored' },
    ] as const;
    const namespaces = await load({ segments: [{ key: 's', constraints }] });
    expect(namespaces.get('default')?.segments.get('s')?.constraints).toMatchObject([
      { operator: 'eq', value: 'A' },
      { operator: 'true', value: '' },
    ]);
  });
});

it.each(['flags: [{key: f}]', 'flags: []', '{flags: [{key: f}]}', '[]'])(
  'one line of text is no path: %s',
  async (text) => {
    const said = await load(text).then(() => 'read', String);
    expect(said).not.toContain('ENOENT');
  },
);

describe('a file that cannot be read', () => {
  it('is named', async () => {
    expect(await complaintAbout(at('nowhere.yml'))).toMatch(/nowhere\.yml: cannot be read: ENOENT/);
    await mkdir(at('folder.yml'));
    expect(await complaintAbout(at('folder.yml'))).toMatch(
      /folder\.yml: cannot be read: it is a folder, a pipe or a device/,
    );
  });

  it('may be one that only others may read', async () => {
    const path = at('secret.yml');
    await writeFile(path, BOOLEAN);
    await chmod(path, 0o000);
    // The superuser reads everything.
    const expected = process.getuid?.() === 0 ? /^read$/ : /cannot be read: EACCES/;
    expect(await load(path).then(() => 'read', String)).toMatch(expected);
  });

  it.each([
    ['flags: [\n', /^features:\d+:\d+: Flow sequence /],
    ['flags:\n  - key: a\n   b: c\n', /^features:3:1: /],
    ['flags: []\n---\nflags: {\n', /^features:4:1: /],
    ['a: &a [x]\nb: [*a,*a]\nc: *nope\n', /^features:1:1: an alias has no anchor before it$/],
    ['\n', /^features: document 1: expected at least one document, found none$/],
    ['# nothing\n---\n', /^features: document 1: expected at least one document, found none$/],
  ])('is reported: %j', async (text, message) => {
    expect(await complaintAbout(text)).toMatch(message);
  });

  it('may have aliases that multiply without end, or endless nesting', async () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `a${level + 1}: &a${level + 1} [*a${level},*a${level}]`,
    );
    expect(await complaintAbout(`a0: &a0 [x]\n${levels.join('\n')}\n`)).toMatch(
      /^features:1:1: too much is repeated by aliases$/,
    );
    expect(await complaintAbout(`flags: ${'['.repeat(20_000)}\n`)).toMatch(/: it nests too deep$/);
  });

  it('is not where a bug of ours is reported', () => {
    const bug = new RangeError('Maximum call stack size exceeded');
    const rules = {
      semantics: 'v1',
      json: false,
      get converts(): boolean {
        throw bug;
      },
    } as const;
    expect(() => readYaml('namespace: a\n', rules)).toThrow(bug);
  });

  it('may hold something else than features', async () => {
    expect(await complaintAbout('- 1\n')).toBe('features:1:1: expected a mapping, got a list');
    expect(await complaintAbout('just text\n')).toBe('features:1:1: expected a mapping, got a text');
    expect(await complaintAbout([{}, 5])).toBe('features: document 2: expected a mapping, got 5');
    expect(await problemsIn('{"__proto__": {"flags": []}}')).toEqual([
      'features: document 1: __proto__: unknown member. Flipt v1 ignores it.',
    ]);
  });
});

describe('a mistake in a text', () => {
  it('is found by line and column', async () => {
    const text = [
      '# two documents',
      'flags:',
      '  - key: f',
      '    enabeld: true',
      '    rules:',
      '      - segment: gone',
      '      - distributions:',
      '          - variant: x',
      '---',
      'namespace: other',
      'flags: &wrong',
      '  - { key: é }',
      'segments: *wrong',
    ].join('\n');
    const positions = (await complaintAbout(text)).split('\n').map((line) => {
      const [, position, path] = /^features:(\d+:\d+): (\S+): /.exec(line) ?? [];
      return [position, path].join(' | ');
    });
    expect(positions.sort()).toEqual([
      '12:7 | segments[0].key',
      '4:5 | flags[0].enabeld',
      '7:9 | flags[0].rules[1].segment',
      '8:13 | flags[0].rules[1].distributions[0].rollout',
    ]);
  });

  it('shows nothing that steers a terminal', async () => {
    const complaint = await complaintAbout('{"flags": [{"key": "\\u001b[2J", "\\u001b[31m": 1}]}', 'v2');
    expect(complaint).toContain('\\u001b');
    expect(complaint.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});
