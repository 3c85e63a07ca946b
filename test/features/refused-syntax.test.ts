import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { complaintAbout, load } from './loading.fixture.js';
import { useFolder } from '../local/folder.fixture.js';

/*
 * YAML that the library reads and Flipt does not, or the other way round. Each was tried with what v1.61.1, v2.8.0,
 * v2.11.0 and v2's newest commit read files with, which is one library; and with `flipt import` of v1.61.1.
 */

const at = useFolder();

const withFlag = (members: string) => `flags:\n  - key: a\n    name: A\n${members}`;
const withAttachment = (yaml: string) =>
  withFlag(`    variants:\n      - key: x\n        attachment: ${yaml}\n`);

describe('Flipt cannot read, and so it is refused:', () => {
  it.each([
    ['a control character in a text', withFlag('    description: "a\u{7}b"\n'), 'U+0007 here'],
    ['a control character in a comment', withFlag('    # a\u{c}b\n'), 'U+000C here'],
    ['a character of C1', withFlag('    description: a\u{9f}b\n'), 'U+009F here'],
    ['no character at all', withFlag('    description: a\u{ffff}b\n'), 'U+FFFF here'],
    ['a NUL', 'flags: []\u{0}\n', 'U+0000 here'],
    [
      'a document behind an end without a beginning',
      'flags: []\n... # the end\n\nnamespace: team\n',
      'features:2:1: Flipt reads no document behind ... without a line ---',
    ],
    ['an escaped slash', withAttachment('{"a": "x\\/y"}'), 'features:6:27: Flipt reads no escape such as'],
    [
      'halves of a character',
      withAttachment('{"a": "\\ud83d\\ude00"}'),
      'features:6:27: Flipt reads no escape such as',
    ],
  ])('%s', async (_name, text, said) => {
    expect(await complaintAbout(text)).toContain(said);
  });

  it('bytes that are no UTF-8', async () => {
    const file = at('latin.yml');
    await writeFile(file, Buffer.from(withFlag('    description: M\u{fc}ller\n'), 'latin1'));
    expect(await complaintAbout(file)).toBe(
      `${file}: cannot be read: it is not UTF-8, but Flipt reads only that`,
    );
  });

  it('a value with a tag of an application, by v2', async () => {
    const text = withFlag('    description: !important x\n    type: BOOLEAN_FLAG_TYPE\n');
    expect(await complaintAbout(text, 'v2')).toContain(
      'features:4:29: Flipt v2 reads no tag of your own: put the text in quotes',
    );
    await load(text, 'v1');
    await load(`flags: !all\n- ${withFlag('').slice(11).trim().replaceAll('\n   ', '\n ')}\n`, 'v2');
  });

  it('names the second of two documents', async () => {
    const text = `flags: []\n---\nnamespace: b\n${withAttachment('{"a": "\\/"}')}`;
    expect(await complaintAbout(text)).toContain('features:9:27: Flipt reads no escape');
  });
});

describe("Flipt's JSON reader cannot read, and so it is refused in a file of JSON:", () => {
  it.each([
    ['a comma after the last member', '{"flags": [],}\n'],
    ['a comment', '{"flags": [] # none\n}\n'],
    ['names without quotes', '{flags: []}\n'],
    ['single quotes', `{"flags": [{"key": 'a'}]}\n`],
    ['YAML', 'flags: []\n'],
    ['a mark of the order of bytes', '\u{feff}{"flags": []}\n'],
    ['the second of two documents', '{"flags": []}\n{"namespace": "b", "flags": [],}\n'],
  ])('%s', async (_name, text) => {
    const file = at('features.json');
    await writeFile(file, text);
    expect(await complaintAbout(file)).toMatch(
      /features\.json:[12]:\d+: Flipt reads the file as JSON, which it is not$/,
    );
  });

  it('but comment lines before a document are taken, with which an export begins', async () => {
    const file = at('features.json');
    await writeFile(file, '# exported\n#\n{"flags": []}\n{"namespace": "b", "flags": []}\n');
    await expect(load(file)).resolves.toBeDefined();
  });
});

describe('Flipt can read, and so it is taken:', () => {
  it.each([
    ['a comment right behind a value', withAttachment('{"a": 1}# comment')],
    ['a comment right behind a list', 'flags: []# none\n'],
    ['version 1.1 of YAML', '%YAML 1.1\n---\nflags: []\n'],
    ['a directive for tags', '%TAG ! tag:example.com,2000:\n---\nflags: []\n'],
    ['tabs after a value', 'flags: [] \t# none\n'],
    ['tabs in a block of text', withFlag('    description: |\n      x\n      \t\n      y\n')],
    ['tabs in an empty line of a text', withFlag('    description: x\n     \t\n')],
    ['tabs between braces', withAttachment('{\n\t\n          a: 1 }')],
    ['a question mark in a text of its own', withFlag('    description: what? http://x/?b=1\n')],
    ['a question mark in quotes', withAttachment('{"a?": "b?"}')],
    ['an escaped character', withAttachment('{"a": "\\u00fc\\U0001F600\\\\/"}')],
    ['marks of the order of bytes', withFlag('    description: "a\u{feff}b"\n')],
  ])('%s', async (_name, text) => {
    await expect(load(text)).resolves.toBeDefined();
  });

  it('all of this in a file of JSON, which Flipt reads with another library', async () => {
    const file = at('features.json');
    await writeFile(file, '{"flags": [{"key": "a", "name": "\\/ \\ud83d\\ude00", "variants": []}]}');
    await expect(load(file)).resolves.toBeDefined();
  });
});
