import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { useFolder } from '../local/folder.fixture.js';
import { ran } from './ran.fixture.js';

const at = useFolder();
const document = (namespace: string, flags = '[{ key: banner, name: Banner, type: BOOLEAN_FLAG_TYPE }]') =>
  `namespace: ${namespace}\nflags: ${flags}\n`;

async function explained(...documents: readonly string[]) {
  const path = at('features.yml');
  await writeFile(path, documents.join('---\n'));
  return ran(['explain', '--features', path, '--flag', 'banner']);
}

describe('without --namespace', () => {
  it('a file of one namespace means that one', async () => {
    expect((await explained(document('shop'))).out).toContain('Flag "banner" in namespace "shop"');
    expect((await explained(document('shop'), document('empty', '[]'))).out).toContain('in namespace "shop"');
  });

  it('a file with flags in default means these', async () => {
    const { out } = await explained(document('shop'), document('default'));
    expect(out).toContain('Flag "banner" in namespace "default"');
  });

  it('a file of several others is an error that names them', async () => {
    const { code, err } = await explained(document('shop'), document('team'));
    expect(code).toBe(1);
    expect(err).toMatch(/features\.yml has several namespaces: "shop", "team"; choose one with --namespace$/);
  });

  it('a file without flags is read as default', async () => {
    expect((await explained(document('shop', '[]'))).err).toContain(
      'There is no flag "banner" in namespace "default"',
    );
  });

  it('types are those of the only namespace', async () => {
    const [path, out] = [at('shop.yml'), at('flags.ts')];
    await writeFile(path, document('shop'));
    expect(await ran(['types', '--features', path, '--out', out])).toMatchObject({ code: 0, err: '' });
    expect(await readFile(out, 'utf8')).toContain('"banner": { kind: "boolean" }');
  });
});

describe('a file of several namespaces', () => {
  const SEVERAL = document('default', '[{ key: promo, name: Promo, type: BOOLEAN_FLAG_TYPE }]') + '---\n';

  it('explain says in which other namespace the flag is', async () => {
    const { code, err } = await explained(SEVERAL + document('mobile'));
    expect([code, err]).toEqual([
      2,
      'There is no flag "banner" in namespace "default". It is in "mobile": choose with --namespace',
    ]);
    expect((await explained(SEVERAL + document('mobile'), document('shop'))).err).toMatch(
      /It is in "mobile", "shop": choose with --namespace$/,
    );
  });

  it('types says which namespaces it leaves out, unless one was named', async () => {
    const [path, out] = [at('several.yml'), at('several.ts')];
    await writeFile(path, SEVERAL + document('mobile'));
    const types = ['types', '--features', path, '--out', out];
    expect(await ran(types)).toMatchObject({
      code: 0,
      err: 'These are the flags of namespace "default". The file also has "mobile": write one file for each, with --namespace',
    });
    expect(await ran([...types, '--namespace', 'mobile'])).toMatchObject({ code: 0, err: '' });
  });
});

describe('what Flipt would refuse', () => {
  it('is a warning of explain and types, and an error of a strict serve', async () => {
    const path = at('nameless.yml');
    await writeFile(path, 'flags:\n  - key: banner\n    type: BOOLEAN_FLAG_TYPE\n');
    const said = `${path}:2:5: flags[0].name: missing, but it must be a text in one line. Flipt 2.11 serves no flag of this environment. Write a name.`;
    const source = ['--features', path, '--semantics', 'v2'];
    expect(await ran(['explain', ...source, '--flag', 'banner'])).toMatchObject({
      code: 0,
      err: `Warning: ${said}`,
    });
    const types = await ran(['types', ...source, '--out', at('nameless.ts')]);
    expect(types).toMatchObject({ code: 0, err: `Warning: ${said}` });
    expect(await ran(['serve', ...source, '--port', '0', '--strict'])).toEqual({
      code: 1,
      out: '',
      err: `error: ${said}`,
    });
  });
});
