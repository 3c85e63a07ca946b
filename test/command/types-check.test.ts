import { stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { FeaturesDocument, FlagDocument } from '../../src/local/index.js';
import { useFolder } from '../local/folder.fixture.js';
import { ran } from './ran.fixture.js';
import { COLOUR, FEATURES, saved, SIZE, SWITCH, textOf, written } from './typed-features.fixture.js';

const at = useFolder();

describe('--check', () => {
  const edited = (colour: Partial<FlagDocument>): FeaturesDocument => ({
    ...FEATURES,
    flags: [{ ...COLOUR, ...colour }, SWITCH, SIZE],
  });
  const variants = (...keys: readonly string[]) =>
    keys.map((key) => ({ key, attachment: { rgb: key, of: [] as number[] } }));

  async function checked(features: FeaturesDocument) {
    const out = await written(at, FEATURES);
    return ran(['types', '--features', await saved(at, features), '--out', out, '--check']);
  }

  it.each<[string, FeaturesDocument]>([
    ['a flag is added', { ...FEATURES, flags: [COLOUR, SWITCH, SIZE, { key: 'new' }] }],
    ['a flag is removed', { ...FEATURES, flags: [COLOUR, SWITCH] }],
    ['a flag is of another kind', { ...FEATURES, flags: [COLOUR, { key: 'switch' }, SIZE] }],
    ['a variant is added', edited({ variants: variants('red', 'blue', 'green') })],
    ['a variant is renamed', edited({ variants: variants('red', 'navy') })],
    [
      'attachments have another shape',
      edited({ variants: [{ key: 'red', attachment: {} }, { key: 'blue' }] }),
    ],
    [
      'a variant can no longer give a number',
      { ...FEATURES, flags: [COLOUR, SWITCH, { key: 'size', variants: [{ key: '1' }, { key: 'two' }] }] },
    ],
  ])('fails if %s, and says what to run', async (_, features) => {
    const { code, err } = await checked(features);
    expect(code).toBe(1);
    expect(err).toMatch(
      /flags-\d+\.ts is out of date; run openfeature-flipt-provider types --features .* --out [^ ]*\.ts$/,
    );
  });

  it.each<[string, FeaturesDocument]>([
    ['nothing has changed', FEATURES],
    ['a flag is switched', edited({ enabled: false })],
    ['a name or a description has changed', edited({ name: 'Colour', description: 'Of it' })],
    ['rules have changed', edited({ rules: [] })],
    [
      'the flags or variants have another order',
      {
        ...FEATURES,
        flags: [SIZE, SWITCH, { ...COLOUR, variants: [...(COLOUR.variants ?? [])].reverse() }],
      },
    ],
    [
      'an attachment has another value of the same shape',
      edited({
        variants: variants('red', 'blue').map((variant) => ({
          ...variant,
          attachment: { of: [5], rgb: 'x' },
        })),
      }),
    ],
    ['a segment has changed', { ...FEATURES, segments: [{ key: 'all', match_type: 'ANY_MATCH_TYPE' }] }],
  ])('succeeds if %s', async (_, features) => {
    expect(await checked({ segments: [{ key: 'all' }], ...features })).toMatchObject({ code: 0, err: '' });
  });

  it('fails if there is no file yet, and writes none', async () => {
    const out = at('missing.ts');
    const { code, err } = await ran([
      'types',
      '--features',
      await saved(at, FEATURES),
      '--out',
      out,
      '--check',
    ]);
    expect(code).toBe(1);
    expect(err).toContain('missing.ts is out of date; run ');
    await expect(stat(out)).rejects.toThrow('ENOENT');
  });

  it('accepts the line ends that Git may write', async () => {
    const out = await written(at, FEATURES);
    await writeFile(out, (await textOf(out)).replaceAll('\n', '\r\n'));
    const { code } = await ran(['types', '--features', await saved(at, FEATURES), '--out', out, '--check']);
    expect(code).toBe(0);
  });
});
