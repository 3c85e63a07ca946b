import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { FlagDocument } from '../../src/local/index.js';
import { startLocalService } from '../../src/local/index.js';
import { useFolder } from '../local/folder.fixture.js';
import { serving } from '../provider/open.fixture.js';
import { ran, withUnreadable } from './ran.fixture.js';
import { FEATURES, saved, SWITCH, textOf, written } from './typed-features.fixture.js';

const at = useFolder();

describe('the file of types', () => {
  it('has a table of the flags, in the order of their keys', async () => {
    expect(await textOf(await written(at, FEATURES))).toContain(
      [
        'export interface Flags {',
        '  "colour": { kind: "variant"; variant: "blue" | "red"; attachment: { "of": number[]; "rgb": string } };',
        '  "size": { kind: "variant"; variant: "1" | "two" };',
        '  "switch": { kind: "boolean" };',
        '}',
      ].join('\n'),
    );
  });

  it('lists a variant flag under each type that all of its variants can give', async () => {
    const flags: readonly FlagDocument[] = [
      ...(FEATURES.flags ?? []),
      { key: 'yes', variants: [{ key: 'true' }, { key: 'no', attachment: false }] },
      { key: 'list', variants: [{ key: '1', attachment: [] }] },
      { key: 'part', variants: [{ key: '1' }, { key: 'x' }] },
      { key: 'bare' },
    ];
    expect(await textOf(await written(at, { ...FEATURES, flags }))).toContain(
      [
        'export type BooleanFlag = "switch" | "yes";',
        'export type StringFlag = "bare" | "colour" | "list" | "part" | "size" | "yes";',
        'export type NumberFlag = "list" | "size";',
        'export type ObjectFlag = "colour" | "list";',
      ].join('\n'),
    );
  });

  it('has string for the variants of a running service, which leaves out variants without distributions', async () => {
    const service = await startLocalService({ features: FEATURES });
    const out = at('from-service.ts');
    const { code, out: said } = await ran(['types', '--url', service.url, '--out', out]);
    expect(said).toMatch(/^Wrote .*; variants have the type string, because a snapshot may lack some$/);
    await service.close();
    expect(code).toBe(0);
    const text = await textOf(out);
    expect(text).toContain(
      '  "colour": { kind: "variant"; variant: string; attachment: { "of": number[]; "rgb": string } };\n' +
        '  "size": { kind: "variant"; variant: string };',
    );
    expect(text).toContain('export type NumberFlag = never;');
  });

  it('has a flag that cannot be read under each type, and a line says why', async () => {
    const { url } = await serving(() => undefined, withUnreadable);
    const out = at('unreadable.ts');
    const { code, err } = await ran(['types', '--url', url, '--out', out]);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^Flag "list" may have any type here, because it cannot be read \(type: .* "LIST_FLAG_TYPE"\)$/,
    );
    const text = await textOf(out);
    expect(text).toContain('  "list": { kind: "unreadable"; variant: string; attachment: JsonValue };\n');
    expect(text).toContain('export type BooleanFlag = "banner" | "list";');
    expect(text).toContain('export type ObjectFlag = "list";');
  });

  it.each([
    ['{ "a": string }', [{ a: 'x' }, { a: 'y' }]],
    ['{ "a": JsonValue }', [{ a: 'x' }, { a: 1 }]],
    ['{ [name: string]: JsonValue }', [{ a: 'x' }, { b: 'x' }]],
    ['{ [name: string]: JsonValue }', [{}, {}]],
    ['JsonValue', [{}, []]],
    ['JsonValue[]', [[], []]],
    ['{ "a": { "b": null }[] }', [{ a: [] }, { a: [{ b: null }, { b: null }] }]],
    ['{ [name: string]: JsonValue }[]', [[{ a: 1 }], [{ b: 1 }]]],
    ['boolean[][]', [[[true]], [[]]]],
  ])('has %s for attachments like %j', async (type, attachments) => {
    const variants = attachments.map((attachment, index) => ({ key: `v${index}`, attachment }));
    expect(await textOf(await written(at, { flags: [{ key: 'a', variants }] }))).toContain(
      `  "a": { kind: "variant"; variant: "v0" | "v1"; attachment: ${type} };\n`,
    );
  });

  it('ends the type of an attachment that is very deep or very large', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100; level++) deep = { a: deep };
    const large = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`m${index}`, 1]));
    const variants = (attachment: unknown) => [{ key: 'v', attachment }];
    const text = await textOf(
      await written(at, {
        flags: [
          { key: 'deep', variants: variants(deep) },
          { key: 'large', variants: variants(large) },
        ],
      }),
    );
    expect(text).toContain(`${'{ "a": '.repeat(8)}{ [name: string]: JsonValue }${' }'.repeat(8)}`);
    expect(text).toContain(
      '"large": { kind: "variant"; variant: "v"; attachment: { [name: string]: JsonValue } };',
    );
  });
});

describe('a file', () => {
  it('that the command did not write is not overwritten', async () => {
    const mine = at('mine.ts');
    await writeFile(mine, 'export {};\n');
    const { code, err } = await ran(['types', '--features', await saved(at, FEATURES), '--out', mine]);
    expect(code).toBe(1);
    expect(err).toMatch(/mine\.ts: it was not written by this package, and is not overwritten; move it away/);
    expect(await textOf(mine)).toBe('export {};\n');
  });

  it('that is up to date is not touched, and one of other flags is replaced', async () => {
    const out = await written(at, FEATURES);
    const { mtimeNs } = await stat(out, { bigint: true });
    const again = await ran(['types', '--features', await saved(at, FEATURES), '--out', out]);
    expect(again.out).toBe(`${out} is up to date`);
    expect((await stat(out, { bigint: true })).mtimeNs).toBe(mtimeNs);
    const other = await ran(['types', '--features', await saved(at, { flags: [SWITCH] }), '--out', out]);
    expect(other.out).toBe(`Wrote ${out}: 1 flag`);
  });

  it('gets the folders that are missing, except in a check', async () => {
    const out = at('new/folder/flags.ts');
    const asked = ['types', '--features', await saved(at, FEATURES), '--out', out];
    expect(await ran([...asked, '--check'])).toMatchObject({ code: 1 });
    await expect(stat(at('new'))).rejects.toThrow('ENOENT');
    expect(await ran(asked)).toMatchObject({ code: 0 });
    expect(await readFile(out, 'utf8')).toContain('export const flagKeys');
  });

  it('that cannot be written is named', async () => {
    await writeFile(at('file'), '');
    const below = await ran(['types', '--features', await saved(at, FEATURES), '--out', at('file/flags.ts')]);
    expect(below.code).toBe(1);
    expect(below.err).toMatch(/file\/flags\.ts: (?:cannot be written: )?(?:ENOTDIR|EEXIST)/);
    await mkdir(at('folder.ts'));
    const folder = await ran(['types', '--features', await saved(at, FEATURES), '--out', at('folder.ts')]);
    expect(folder.err).toMatch(/folder\.ts: it is a folder, a pipe or a device/);
  });

  it('of no flags at all is not written', async () => {
    const { code, err } = await ran(['types', '--features', await saved(at, {}), '--out', at('empty.ts')]);
    expect(code).toBe(1);
    expect(err).toContain('namespace "default" has no flags; choose another with --namespace');
  });
});
