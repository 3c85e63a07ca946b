import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { useFolder } from '../local/folder.fixture.js';
import { ran } from './ran.fixture.js';

const at = useFolder();
/** One finding of each level, for v2: a flag without a name, a threshold of 0.2 %, and a segment that nobody uses. */
const FEATURES = `flags:
  - key: share
    type: BOOLEAN_FLAG_TYPE
    rollouts: [{ threshold: { percentage: 0.2, value: true } }]
segments:
  - { key: all, name: All, match_type: ALL_MATCH_TYPE }
`;

async function features(folder: string, text = FEATURES): Promise<string> {
  const path = at(`${folder}/features.yml`);
  await mkdir(at(folder), { recursive: true });
  await writeFile(path, text);
  return path;
}

async function linted(path: string, ...more: readonly string[]) {
  return ran(['lint', '--features', path, '--semantics', 'v2', ...more]);
}

/** `error refused`, for each finding in the output. */
function levelsIn(out: string): readonly string[] {
  return Array.from(
    out.matchAll(/:\d+:\d+: (\w+): ([\w-]+): /g),
    ([, level = '', rule = '']) => `${level} ${rule}`,
  );
}

describe('the levels of findings', () => {
  it('decide about the exit code', async () => {
    const path = await features('codes');
    const off = ['--rule', 'refused=off', '--rule', 'small-percentage=off'];
    const codes = async (...more: readonly string[]) => (await linted(path, ...more)).code;
    expect(await codes()).toBe(1);
    expect(await codes('--max-level', 'warning')).toBe(1);
    expect(await codes('--max-level', 'error')).toBe(0);
    expect(await codes('--rule', 'refused=off')).toBe(1);
    expect(await codes('--rule', 'refused=off', '--max-level', 'warning')).toBe(0);
    expect(await codes(...off)).toBe(0);
    expect(await codes(...off, '--max-level', 'none')).toBe(1);
    expect(await codes(...off, '--rule', 'unused-segment=error')).toBe(1);
  });

  it('are in the output, and can be set for each rule', async () => {
    const path = await features('levels');
    expect(levelsIn((await linted(path)).out)).toEqual([
      'error refused',
      'warning small-percentage',
      'info unused-segment',
    ]);
    const set = ['refused=info', 'small-percentage=error', 'unused-segment=off'].flatMap((rule) => [
      '--rule',
      rule,
    ]);
    expect(levelsIn((await linted(path, ...set)).out)).toEqual(['info refused', 'error small-percentage']);
  });

  it('of a variant flag that is not enabled are infos, except for one without a type', async () => {
    const draft = (more: string) => `flags: [{ key: a, name: A, ${more} }]\n`;
    const levels = async (more: string) => levelsIn((await linted(await features('draft', draft(more)))).out);
    expect(await levels('enabled: false, type: VARIANT_FLAG_TYPE')).toEqual(['info single-value']);
    expect(await levels('enabled: true, type: VARIANT_FLAG_TYPE')).toEqual(['warning single-value']);
    expect(await levels('enabled: false')).toEqual(['warning missing-type']);
  });
});

describe('a file of settings', () => {
  const OFF = { rules: { refused: 'off', 'small-percentage': 'info' } };
  it.each([
    ['flipt-lint.json', OFF],
    ['package.json', { name: 'app', 'flipt-lint': OFF }],
  ])('%s counts for the folders below it, until a nearer one', async (name, json) => {
    const path = await features(`above/${name}s/flags/production`);
    await writeFile(at(`above/${name}s/${name}`), JSON.stringify(json));
    const { code, out } = await linted(path);
    expect([code, levelsIn(out)]).toEqual([0, ['info small-percentage', 'info unused-segment']]);
    // A package without the block is passed over.
    await writeFile(at(`above/${name}s/flags/package.json`), '{}');
    expect((await linted(path)).code).toBe(0);
    await writeFile(at(`above/${name}s/flags/flipt-lint.json`), '{ "maxLevel": "error" }');
    expect(levelsIn((await linted(path)).out)).toContain('error refused');
    expect((await linted(path)).code).toBe(0);
    expect((await linted(path, '--max-level', 'info')).code).toBe(1);
    expect((await linted(path, '--rule', 'refused=off')).out).not.toContain('refused');
  });

  it('says which Flipt reads the file, unless an argument does', async () => {
    const path = await features('semantics');
    const lint = async (...more: readonly string[]) => ran(['lint', '--features', path, ...more]);
    const assumed = 'Checked for Flipt v1; write --semantics v2 for Flipt v2.';
    expect(await lint()).toMatchObject({ out: expect.not.stringContaining('error') as string, err: assumed });
    expect(await lint('--semantics', 'v1')).toMatchObject({ err: '' });
    expect(await lint('--from', 'v1', '--to', 'v2')).toMatchObject({ err: '' });
    await writeFile(at('semantics/flipt-lint.json'), '{ "semantics": "v2" }');
    expect(await lint()).toMatchObject({
      out: expect.stringContaining('error: refused') as string,
      err: '',
    });
    expect((await lint('--semantics', 'v1')).out).not.toContain('error');
  });

  it.each(['flipt-lint.json', 'package.json'])('%s may begin with a byte order mark', async (name) => {
    const path = await features(`mark/${name}s`);
    const json = name === 'package.json' ? { 'flipt-lint': OFF } : OFF;
    await writeFile(at(`mark/${name}s/${name}`), `\uFEFF${JSON.stringify(json)}`);
    const { code, out } = await linted(path);
    expect([code, levelsIn(out)]).toEqual([0, ['info small-percentage', 'info unused-segment']]);
  });

  it.each(['flipt-lint.json', 'package.json'])('%s that cannot be read ends with 2', async (name) => {
    const path = await features(`folder/${name}s`);
    await mkdir(at(`folder/${name}s/${name}`));
    const { code, out, err } = await linted(path);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(`${name}: cannot be read: EISDIR`);
  });

  it('a package.json that is no JSON ends with 2 if it names the settings', async () => {
    const path = await features('broken');
    await writeFile(at('broken/package.json'), '{{ template }}');
    expect((await linted(path)).code).toBe(1);
    await writeFile(at('broken/package.json'), '{ "flipt-lint": { "rules": {} },, }');
    const { code, err } = await linted(path);
    expect(code).toBe(2);
    expect(err).toContain('package.json: cannot be read: ');
  });

  it.each([
    ['{', /flipt-lint\.json: cannot be read: /],
    ['[]', /flipt-lint\.json: flipt-lint: expected an object$/],
    ['{ "rule": {} }', /rule: unknown; expected rules, maxLevel and semantics$/],
    ['{ "rules": [] }', /rules: expected an object$/],
    ['{ "rules": { "refusd": "off" } }', /there is no rule "refusd"; did you mean "refused"\?$/],
    ['{ "rules": { "refused": true } }', /expected off, info, warning or error, got true$/],
    ['{ "semantics": "v3" }', /expected v1, v2\.8, v2\.9, v2\.10 or v2, got v3$/],
    ['{ "maxLevel": "off" }', /expected none, info, warning or error, got off$/],
  ])('that is wrong, %s, ends with 2', async (text, message) => {
    const path = await features('wrong');
    await writeFile(at('wrong/flipt-lint.json'), text);
    const { code, out, err } = await linted(path);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});

it.each([
  [['--rule', 'refused'], '--rule: expected NAME=LEVEL, got "refused"'],
  [['--rule', 'refusd=off'], '--rule: there is no rule "refusd"; did you mean "refused"?'],
  [['--rule', 'refused=on'], '--rule: expected off, info, warning or error, got on'],
  [['--max-level', 'all'], '--max-level: expected none, info, warning or error, got all'],
  [['--format', 'xml'], '--format: expected text, json, github, got xml'],
  [['--format', 'json', '--json'], '--json and --format: expected only one of them'],
])('%j ends with 2', async (more, message) => {
  const { code, err } = await linted(await features('arguments'), ...more);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

describe('--format github', () => {
  it('prints an annotation for each finding', async () => {
    const path = await features('pull, request: 100 %');
    const file = path.replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C');
    const { code, out } = await linted(path, '--format', 'github');
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      `::error file=${file},line=2,col=5,title=refused::The name of flag "share" is missing, but must be a text in one line. Flipt 2.11 serves no flag of this environment. Write a name.`,
      `::warning file=${file},line=4,col=31,title=small-percentage::The percentage of rollout 1 of flag "share" is 0.2. It applies to at most 1 %25 of entities. If you mean 20 %25, write that number.`,
      `::notice file=${file},line=6,col=5,title=unused-segment::No rule and no rollout uses segment "all". It decides nothing. Remove it, or name it in a rule or a rollout.`,
    ]);
  });

  it('prints an annotation for each mistake of the syntax, which makes the file unreadable', async () => {
    const path = await features('unreadable', `flags: []\n  - { key: a }\n`);
    const { code, out, err } = await linted(path, '--format', 'github');
    expect(code).toBe(2);
    expect(out).toMatch(/^::error file=.*,line=2,col=\d+,title=unreadable::document 1: /);
    expect(err).toContain('at line 2, column');
    expect(await linted(`${path}.none`, '--format', 'github')).toMatchObject({ code: 2, out: '' });
    expect(await linted(path)).toMatchObject({ code: 2, out: '' });
  });

  it('has one annotation for a pattern that repeats, with its count and lines', async () => {
    const flags = Array.from({ length: 48 }, (_, at) => `  - key: flag-${at}\n    type: BOOLEAN_FLAG_TYPE\n`);
    const path = await features('repeated', `flags:\n${flags.join('')}`);
    const { out } = await linted(path, '--format', 'github');
    expect(out.split('\n')).toHaveLength(1);
    expect(out).toMatch(/^::error .*Write a name\. \(47 more of this kind: lines 4, 6, .*, 22, …\)$/);
    const { findings } = JSON.parse((await linted(path, '--json')).out) as {
      findings: { others: unknown[] }[];
    };
    expect(findings[0]?.others).toHaveLength(47);
    expect(findings[0]?.others[0]).toEqual({
      namespace: 'default',
      path: 'flags[1].name',
      line: 4,
      column: 5,
    });
  });
});
