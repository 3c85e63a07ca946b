import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../src');

/** From the ground up. */
const ROOMS =
  'base model options http engine features remote client snapshot local provider command index.ts adapters'.split(
    ' ',
  );

/** What a file of src imports of src, by its path. The adapters import the front door by the package's name. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const names = [
    ...text.matchAll(/^(?!\s*\*).*(?:from|import\(?)\s*'(\.{1,2}\/[^']+|openfeature-flipt-provider)'/gm),
  ];
  return names.map(([, name = '']) =>
    name.startsWith('.') ? relative(SRC, join(SRC, file, '..', name)) : 'index.ts',
  );
}

it('each room of src imports only rooms below it', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const rankOf = (path: string) => ROOMS.indexOf(path.split('/')[0] ?? '');
  expect(files.filter((file) => rankOf(file) < 0)).toEqual([]);
  const upwards = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => rankOf(imported) > rankOf(file))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(upwards).toEqual([]);
});
