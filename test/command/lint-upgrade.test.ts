import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { useFolder } from '../local/folder.fixture.js';
import { ran } from './ran.fixture.js';

const at = useFolder();
const FEATURES = `version: '1.4'
flags:
  - key: banner
    name: Banner
    type: VARIANT_FLAG_TYPE
    enabled: true
    variants: [{ key: red }, { key: blue }]
    rules:
      - { segment: all, rank: 2, distributions: [{ variant: blue, rollout: 70 }] }
      - { segment: pro, rank: 1, distributions: [{ variant: red, rollout: 50 }, { variant: blue, rollout: 50 }] }
segments:
  - { key: all, name: All, match_type: ALL_MATCH_TYPE }
  - key: pro
    name: Pro
    match_type: ALL_MATCH_TYPE
    constraints: [{ type: STRING_COMPARISON_TYPE, property: plan, operator: eq, value: pro }]
  - { key: unused, name: Unused, match_type: ALL_MATCH_TYPE }
`;

async function upgraded(text: string, from: string, to: string, ...more: readonly string[]) {
  const path = at('features.yml');
  await writeFile(path, text);
  const { code, out, err } = await ran(['lint', path, '--from', from, '--to', to, ...more]);
  return { code, out: out.replaceAll(`${path}:`, ''), err };
}

describe('lint --from --to', () => {
  it('says which rules divide their entities in another way from 2.9 on', async () => {
    expect(await upgraded(FEATURES, 'v2.8', 'v2')).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        '9:34: warning: evaluated-differently: flags[0].rules[0].distributions: Rule 1 of flag "banner" divides its entities in another way. Flipt v2.8 gives "blue" to 70 %, no variant to 30 %; Flipt v2 gives "blue" to 100 %. Write percentages that add up to 100, as you want them.',
      ) as string,
    });
  });

  it('says which rules apply in another order in v2', async () => {
    expect(await upgraded(FEATURES, 'v1', 'v2.8')).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        '8:5: warning: evaluated-differently: flags[0].rules: The rules of flag "banner" apply in another order. Flipt v1 applies them by their ranks, 2, 1; Flipt v2.8 ignores ranks: 1, 2. Write them in the order of their ranks.',
      ) as string,
    });
  });

  it('says what the newer one refuses', async () => {
    const lists = FEATURES.replace('operator: eq, value: pro', `operator: isoneof, value: '["pro"]'`);
    const { code, out } = await upgraded(lists.replace(/^version.*\n/, ''), 'v2.8', 'v2');
    expect(code).toBe(1);
    expect(out).toContain(
      `15:86: error: refused: segments[1].constraints[0].value: '["pro"]', but it must be a list in version 1.6 of the format, and in a document without a version. Flipt 2.11 serves no flag of this environment. Write version: '1.4', or the value as a list.`,
    );
    expect((await upgraded(lists, 'v2.8', 'v2')).out).not.toContain('refused');
  });

  it('tells 2.9, 2.10 and 2.11 apart, which refuse different things', async () => {
    const listed = FEATURES.replace('operator: eq, value: pro', 'operator: isoneof, value: [pro]').replace(
      '1.4',
      '1.6',
    );
    for (const [to, text, refused] of [
      ['v2.10', listed, undefined],
      ['v2', listed, undefined],
      ['v2', listed.replace('[pro]', `'["pro"]'`), '2.11 serves no flag of this environment'],
    ] as const) {
      const { code, out } = await upgraded(text, 'v2.9', to);
      expect(code).toBe(refused === undefined ? 0 : 1);
      expect(out).toContain(refused ?? '');
    }
    const path = at('features.yml');
    await writeFile(path, FEATURES.replace('name: Banner', 'name: Banner\n    description:'));
    const codeFor = async (version: string) => (await ran(['lint', path, '--semantics', version])).code;
    expect([await codeFor('v2.9'), await codeFor('v2.10'), await codeFor('v2')]).toEqual([1, 0, 0]);
  });

  it('says only what the older one takes', async () => {
    const wrong = FEATURES.replace('operator: eq, value: pro', 'operator: present');
    const fromV1 = await upgraded(wrong, 'v1', 'v2');
    expect(fromV1.code).toBe(1);
    expect(fromV1.out).toContain('error: invalid: segments[1].constraints[0].operator: expected one of');
    expect((await upgraded(wrong, 'v2.8', 'v2')).out).not.toContain('error');
    const nameless = FEATURES.replace('    name: Banner\n', '');
    expect((await upgraded(nameless, 'v1', 'v2')).out).toContain('refused: flags[0].name: missing');
    expect((await upgraded(nameless, 'v2.8', 'v2')).out).not.toContain('refused');
  });

  it('finds nothing else, and nothing where nothing changes', async () => {
    const same = FEATURES.replace('rollout: 70', 'rollout: 100').replace(/rank: \d, /g, '');
    expect(await upgraded(same, 'v1', 'v2')).toEqual({ code: 0, out: '', err: '' });
  });
});
