import { expect, it } from 'vitest';
import { node } from './running.fixture.js';

it.each(['examples/typed', 'examples/production'])('the typed flags of %s are up to date', async (folder) => {
  const types = ['types', '--features', `${folder}/features.yml`, '--out', `${folder}/flags.ts`];
  const { code, output } = await node(['dist/cli.js', ...types, '--check']).ended;
  expect(output).toBe(`${folder}/flags.ts is up to date\n`);
  expect(code).toBe(0);
});

it('the example of typed flags runs', async () => {
  const { code, output } = await node(['--import', 'tsx', 'examples/typed/app.ts'], {
    TSX_TSCONFIG_PATH: 'examples/tsconfig.run.json',
  }).ended;
  expect(output).toBe('true blue navy 2 20\n');
  expect(code).toBe(0);
});
