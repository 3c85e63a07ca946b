import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { useFolder } from '../local/folder.fixture.js';
import { ran } from './ran.fixture.js';

const at = useFolder();
const MISTAKE = 'flags:\n  - key: banner\n    name: Banner\n';
const FINDING = {
  line: 2,
  column: 5,
  level: 'warning',
  rule: 'missing-type',
  namespace: 'default',
  path: 'flags[0]',
  problem: 'Flag "banner" has no type, so it is a variant flag.',
  effect: 'It has no variants: every call, such as getBooleanValue, returns its own default value.',
  fix: 'Write type: BOOLEAN_FLAG_TYPE, or give it variants.',
  others: [],
};

const ASSUMED = 'Checked for Flipt v1; write --semantics v2 for Flipt v2.';

async function file(text: string): Promise<string> {
  const path = at('features.yml');
  await writeFile(path, text);
  return path;
}

describe('lint', () => {
  it('prints a line for each finding, and ends with 1', async () => {
    const path = await file(MISTAKE);
    const { problem, effect, fix } = FINDING;
    expect(await ran(['lint', '--features', path])).toEqual({
      code: 1,
      out: `${path}:2:5: warning: missing-type: ${problem} ${effect} ${fix}`,
      err: ASSUMED,
    });
  });

  it('prints JSON, whose members keep their names', async () => {
    const path = await file(MISTAKE);
    const { code, out } = await ran(['lint', '--features', path, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({ findings: [{ file: path, ...FINDING }] });
  });

  it('prints nothing, or an empty list, and ends with 0 if there is nothing to find', async () => {
    const path = await file('flags: []\n');
    expect(await ran(['lint', '--features', path])).toEqual({ code: 0, out: '', err: ASSUMED });
    const { code, out } = await ran(['lint', '--features', path, '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { findings: [] }]);
  });

  it('follows the rules of the version that is asked for', async () => {
    const path = await file(`flags:
  - key: banner
    variants: [{ key: red, default: true }, { key: blue }]
    rules: [{ segment: all, distributions: [{ variant: blue, rollout: 50 }] }]
segments: [{ key: all }]
`);
    const effectOf = async (...semantics: string[]) =>
      (await ran(['lint', '--features', path, ...semantics])).out;
    expect(await effectOf()).toContain('Flipt v1 gives "blue" to 50 %, the default variant "red" to 50 %.');
    expect(await effectOf('--semantics', 'v2')).toContain('Flipt v2 gives "blue" to 100 %.');
  });

  it.each([
    ['a file that is missing', ['--features', 'nowhere.yml'], /nowhere\.yml: cannot be read/],
    ['no file', [], /--features: missing; expected a file/],
    ['an unknown option', ['--jsn'], /Unknown option '--jsn'; did you mean "--json"\?/],
    ['an option of another command', ['--port', '1'], /Unknown option '--port'/],
    [
      'an unknown version',
      ['--features', 'f.yml', '--semantics', 'v3'],
      /--semantics: expected v1, v2\.8, v2/,
    ],
    [
      'a folder',
      ['--features', 'docs'],
      /docs: cannot be read: it is a folder, a pipe or a device; expected/,
    ],
    [
      'a file twice by an option',
      ['--features', 'a', '--features', 'b'],
      /given twice; write lint a\.yml b\.yml/,
    ],
  ])('ends with 2 for %s', async (_what, argv, message) => {
    const { code, out, err } = await ran(['lint', ...argv]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });

  it('takes several files, and tells which of them cannot be read', async () => {
    const [one, other] = [at('one.yml'), at('other.yml')];
    await writeFile(one, MISTAKE);
    await writeFile(other, MISTAKE);
    for (const files of [
      ['--features', one, other],
      [one, other],
    ]) {
      const { code, out } = await ran(['lint', ...files, '--json']);
      const { findings } = JSON.parse(out) as { findings: { file: string }[] };
      expect([code, findings.map((finding) => finding.file)]).toEqual([1, [one, other]]);
    }
    const { code, out, err } = await ran(['lint', one, at('nowhere.yml'), other]);
    expect([code, out.split('\n').length]).toEqual([2, 2]);
    expect(err).toMatch(/nowhere\.yml: cannot be read/);
  });

  it('ends with 2 for a file that is no YAML, and says where', async () => {
    const { code, out, err } = await ran(['lint', '--features', await file('flags: [\n---\nflags: []\n')]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/document 1: .* at line \d+, column \d+/);
  });

  it('finds a mistake together with everything else, and says that more may follow', async () => {
    const path = await file(`${MISTAKE}  - key: b c\n    kee: banner\n---\nnamespace: team\n${MISTAKE}`);
    const { code, out, err } = await ran(['lint', '--features', path, '--semantics', 'v2', '--json']);
    const { findings } = JSON.parse(out) as { findings: { line: number; column: number; rule: string }[] };
    expect(code).toBe(1);
    expect(findings.map(({ line, column, rule }) => `${line}:${column} ${rule}`)).toEqual([
      '4:5 refused',
      '4:5 refused',
      '5:5 refused',
      '9:5 missing-type',
    ]);
    expect(err).toMatch(/^Correct what is refused and unreadable first: .* more findings may follow\.$/);
  });
});
