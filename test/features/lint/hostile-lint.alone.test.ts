import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { lint } from '../../../src/features/lint/lint.js';
import { readUnlinkedText } from '../../../src/features/read-features.js';
import { useFolder } from '../../local/folder.fixture.js';

const at = useFolder();

async function linted(text: string, name = 'features.yml') {
  const path = at(name);
  await writeFile(path, text);
  return lint(await readUnlinkedText(path), { version: 'v1' });
}

const repeated = (alias: string, count: number): string => `, ${alias}`.repeat(count);

describe('a file that keeps lint busy', () => {
  it('has one finding for a mistake, however many aliases repeat it', async () => {
    const distributions = `[&d {variant: v, rollout: 100, colour: x}${repeated('*d', 5)}]`;
    const rules = `[&r {segment: s, distributions: ${distributions}}${repeated('*r', 5)}]`;
    const flag = `{key: f, variants: [{key: v}], rules: ${rules}}`;
    const found = await linted(`flags: [${flag}]\nsegments: [{key: s}]\n`);
    expect(found.filter(({ path }) => path.endsWith('colour'))).toHaveLength(1);
  });

  it('is refused if aliases repeat much more than it has', async () => {
    const distributions = `[&d {variant: v, rollout: 100, colour: x}${repeated('*d', 25)}]`;
    const rules = `[&r {segment: s, distributions: ${distributions}}${repeated('*r', 25)}]`;
    const flags = `[&f {key: f, variants: [{key: v}], rules: ${rules}}${repeated('*f', 25)}]`;
    expect(await linted(`flags: ${flags}\n`)).toMatchObject([
      { rule: 'yaml', problem: 'too much is repeated by aliases' },
    ]);
  });

  it('has 10,000 flags without names', async () => {
    const flags = Array.from(
      { length: 10_000 },
      (_, index) => `- {key: f${index}, type: BOOLEAN_FLAG_TYPE}\n`,
    );
    const path = at('many.yml');
    await writeFile(path, `version: '1.4'\nflags:\n${flags.join('')}`);
    expect(lint(await readUnlinkedText(path), { version: 'v2.11' })).toHaveLength(10_000);
  }, 60_000);
});

describe('a file of somebody else', () => {
  it('is read, whatever its name looks like', async () => {
    const [found] = await linted('flags: [{key: f, name: F}]\n', '{}: x.yml');
    expect(found).toMatchObject({ rule: 'missing-type' });
  });

  it('is not a link, a folder, or larger than 16 MB', async () => {
    const secret = at('secret.yml');
    await writeFile(secret, 'flags: []\n');
    await symlink(secret, at('link.yml'));
    await expect(readUnlinkedText(at('link.yml'))).rejects.toThrow(/it is a link; expected a regular file/);
    await mkdir(at('folder.yml'));
    await expect(readUnlinkedText(at('folder.yml'))).rejects.toThrow(/it is a folder, a pipe or a device/);
    await expect(readUnlinkedText('/dev/zero')).rejects.toThrow(/it is a folder, a pipe or a device/);
    await expect(linted(' '.repeat(16 * 1024 * 1024 + 1))).rejects.toThrow(/more than 16777216 bytes/);
  });

  it.each([
    '*hunter2',
    '!hunter2 a',
    '!!hunter2 a',
    '%hunter2\n---\na: b',
    '|hunter2\n',
    '"\\hunter2"',
    'hunter2:x:0\n',
    '[hunter2',
    '}hunter2',
    'a: b: hunter2',
    '- [hunter2\nhunter2',
  ])('is not quoted where it is no YAML: %j', async (text) => {
    const said = await linted(text).then((found) => JSON.stringify(found), String);
    expect(said).not.toContain('hunter2');
  });

  it('is not quoted where it is no JSON', async () => {
    const found = await linted('{"a": hunter2}', 'features.json');
    expect(found).toMatchObject([{ rule: 'yaml', problem: 'Flipt reads the file as JSON, which it is not' }]);
  });
});
