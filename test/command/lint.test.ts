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
  document: 1,
  problem:
    'Flag "banner" has no type, so it is a variant flag. It has no variants: every call, such as getBooleanValue, returns its own default value.',
  fix: 'Write type: BOOLEAN_FLAG_TYPE, or give it variants.',
};

const ASSUMED = 'Checked for Flipt v1; write --semantics v2 for Flipt v2.';

async function file(text: string): Promise<string> {
  const path = at('features.yml');
  await writeFile(path, text);
  return path;
}

describe('lint', () => {
  it('prints a line for each finding, and ends with 1 for a warning only if it is strict', async () => {
    const path = await file(MISTAKE);
    const { problem, fix } = FINDING;
    const out = `${path}:2:5: warning: missing-type: flags[0]: ${problem} ${fix}`;
    expect(await ran(['lint', path])).toEqual({ code: 0, out, err: ASSUMED });
    expect(await ran(['lint', path, '--strict'])).toEqual({ code: 1, out, err: ASSUMED });
  });

  it('prints JSON, whose members keep their names', async () => {
    const path = await file(MISTAKE);
    const { code, out } = await ran(['lint', path, '--format', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ findings: [{ file: path, ...FINDING }] });
  });

  it('prints nothing, or an empty list, and ends with 0 if there is nothing to find', async () => {
    const path = await file('flags: []\n');
    expect(await ran(['lint', path])).toEqual({ code: 0, out: '', err: ASSUMED });
    const { code, out } = await ran(['lint', path, '--format', 'json']);
    expect([code, JSON.parse(out)]).toEqual([0, { findings: [] }]);
  });

  it('follows the rules of the version that is asked for', async () => {
    const path = await file(`flags:
  - key: banner
    name: Banner
    variants: [{ key: red, default: true }, { key: blue }]
    rules: [{ segment: all, distributions: [{ variant: blue, rollout: 50 }] }]
segments: [{ key: all, name: All, match_type: ALL_MATCH_TYPE }]
`);
    const effectOf = async (...semantics: string[]) => (await ran(['lint', path, ...semantics])).out;
    expect(await effectOf()).toContain('Flipt v1 gives "blue" to 50 %, the default variant "red" to 50 %.');
    expect(await effectOf('--semantics', 'v2')).toContain('Flipt v2 gives "blue" to 100 %.');
  });

  it('ends with 2 for a folder', async () => {
    const { code, out, err } = await ran(['lint', at()]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/: cannot be read: it is a folder, a pipe or a device; expected/);
  });

  it('takes several files, and tells which of them cannot be read', async () => {
    const [one, other] = [at('one.yml'), at('other.yml')];
    await writeFile(one, MISTAKE);
    await writeFile(other, MISTAKE);
    const { code, out } = await ran(['lint', one, other, '--format', 'json']);
    const { findings } = JSON.parse(out) as { findings: { file: string }[] };
    expect([code, findings.map((finding) => finding.file)]).toEqual([0, [one, other]]);
    const partial = await ran(['lint', one, at('nowhere.yml'), other]);
    expect([partial.code, partial.out.split('\n').length]).toEqual([2, 2]);
    expect(partial.err).toMatch(/nowhere\.yml: cannot be read/);
  });

  it.each(['text', 'json', 'github'])('prints mistakes of the syntax as findings, as %s', async (format) => {
    const path = await file('flags: []\n  - { key: a }\n');
    const { code, out, err } = await ran(['lint', path, '--semantics', 'v1', '--format', format]);
    expect([code, err]).toEqual([1, 'Correct the errors first: more findings may follow.']);
    if (format !== 'json') {
      expect(out).toMatch(format === 'text' ? /:2:\d+: error: / : /^::error file=.*,line=2,col=\d+,title=/);
      return;
    }
    const { findings } = JSON.parse(out) as { findings: readonly object[] };
    expect(findings[0]).toMatchObject({ file: path, line: 2, level: 'error' });
  });

  it('finds each mistake, and says that more may follow', async () => {
    const path = await file(`${MISTAKE}  - key: b c\n    kee: banner\n---\nnamespace: team\n${MISTAKE}`);
    const { code, out, err } = await ran(['lint', path, '--semantics', 'v2', '--format', 'json']);
    const { findings } = JSON.parse(out) as { findings: { line: number; column: number; rule: string }[] };
    expect(code).toBe(1);
    expect(findings.map(({ line, column, rule }) => `${line}:${column} ${rule}`)).toEqual([
      '4:5 refused',
      '4:5 invalid',
      '5:5 refused',
    ]);
    expect(err).toBe('Correct the errors first: more findings may follow.');
  });
});

/** One finding of each level, for v2: a flag without a name, a threshold of 0.2 %, and a segment that nobody uses. */
const LEVELS = `flags:
  - key: share
    type: BOOLEAN_FLAG_TYPE
    rollouts: [{ threshold: { percentage: 0.2, value: true } }]
segments:
  - { key: all, name: All, match_type: ALL_MATCH_TYPE }
`;

/** `error refused`, for each finding in the output. */
function levelsIn(out: string): readonly string[] {
  return Array.from(
    out.matchAll(/:\d+:\d+: (\w+): ([\w-]+): /g),
    ([, level = '', rule = '']) => `${level} ${rule}`,
  );
}

describe('the levels of findings', () => {
  const v2 = ['--semantics', 'v2'];
  it('decide about the exit code', async () => {
    const path = await file(LEVELS);
    const codes = async (...more: readonly string[]) => (await ran(['lint', path, ...v2, ...more])).code;
    expect(await codes()).toBe(1);
    expect(await codes('--rule', 'refused=off')).toBe(0);
    expect(await codes('--rule', 'refused=off', '--strict')).toBe(1);
    const off = ['--rule', 'refused=off', '--rule', 'small-percentage=off'];
    expect(await codes(...off, '--strict')).toBe(0);
    expect(await codes(...off, '--rule', 'unused-segment=error')).toBe(1);
  });

  it('can be set for each rule', async () => {
    const path = await file(LEVELS);
    const levels = async (...rules: readonly string[]) =>
      levelsIn((await ran(['lint', path, ...v2, ...rules.flatMap((rule) => ['--rule', rule])])).out);
    expect(await levels()).toEqual(['error refused']);
    expect(await levels('refused=off')).toEqual(['warning small-percentage', 'info unused-segment']);
    expect(await levels('refused=info', 'small-percentage=error', 'unused-segment=off')).toEqual([
      'info refused',
      'error small-percentage',
    ]);
  });

  it('of a variant flag that is not enabled are infos, except for one without a type', async () => {
    const levels = async (more: string) =>
      levelsIn((await ran(['lint', await file(`flags: [{ key: a, name: A, ${more} }]\n`), ...v2])).out);
    expect(await levels('enabled: false, type: VARIANT_FLAG_TYPE')).toEqual(['info single-value']);
    expect(await levels('enabled: true, type: VARIANT_FLAG_TYPE')).toEqual(['warning single-value']);
    expect(await levels('enabled: false')).toEqual(['warning missing-type']);
  });
});

it('--format github prints an annotation for each finding', async () => {
  const path = at('pull, request: 100 %.yml');
  await writeFile(path, LEVELS);
  const escaped = path.replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C');
  const { code, out } = await ran([
    'lint',
    path,
    '--semantics',
    'v2',
    '--rule',
    'refused=info',
    '--format',
    'github',
  ]);
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    `::notice file=${escaped},line=2,col=5,title=refused::flags[0].name: missing, but it must be a text in one line. Flipt 2.11 serves no flag of this environment. Write a name.`,
    `::warning file=${escaped},line=4,col=31,title=small-percentage::flags[0].rollouts[0].threshold.percentage: The percentage of rollout 1 of flag "share" is 0.2. It applies to at most 1 %25 of entities. If you mean 20 %25, write that number.`,
    `::notice file=${escaped},line=6,col=5,title=unused-segment::segments[0]: No rule and no rollout uses segment "all". It decides nothing. Remove it, or name it in a rule or a rollout.`,
  ]);
});
