import { describe, expect, it } from 'vitest';
import { node } from './running.fixture.js';

const TYPES = ['types', '--features', 'examples/typed/features.yml', '--out', 'examples/typed/flags.ts'];

describe('the example of typed flags', () => {
  it('is written from its features; the compiler shows that a misspelt key does not compile', async () => {
    const { code, output } = await node(['dist/cli.js', ...TYPES, '--check']).ended;
    expect(output).toBe('examples/typed/flags.ts is up to date\n');
    expect(code).toBe(0);
  });

  it('runs', async () => {
    const { code, output } = await node(['--import', 'tsx', 'examples/typed/app.ts'], {
      TSX_TSCONFIG_PATH: 'examples/tsconfig.run.json',
    }).ended;
    expect(output).toBe('true blue navy 2 20\n');
    expect(code).toBe(0);
  });
});
