import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './packed.fixture.js';

interface End {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the check on a report of npm. */
function audited(report: object): Promise<End> {
  return new Promise((resolve) => {
    const script = join(ROOT, 'scripts/audited.js');
    const child = execFile(process.execPath, [script], (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
    child.stdin?.end(JSON.stringify(report));
  });
}

const vulnerable = (name: string, folder = `node_modules/${name}`) => ({
  [name]: { via: [{ title: `${name} is slow` }], nodes: ['node_modules/another', folder] },
});

describe('npm run audit', () => {
  it.each(['valibot', 'lru-cache', 'yaml'])(
    'fails for a vulnerability of %s, whose code users run',
    async (name) => {
      const { code, stderr } = await audited({
        vulnerabilities: { ...vulnerable('vitest'), ...vulnerable(name) },
      });
      expect(code).toBe(1);
      expect(stderr).toContain(`${name} is slow`);
      expect(stderr).not.toContain('vitest');
    },
  );

  it('passes if only packages for the development, and copies below them, are vulnerable', async () => {
    const copy = vulnerable('lru-cache', 'node_modules/@babel/core/node_modules/lru-cache');
    const { code, stdout } = await audited({ vulnerabilities: { ...vulnerable('vitest'), ...copy } });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'no known vulnerability of lru-cache, valibot, yaml\n',
    });
  });

  it('fails if npm could not ask for vulnerabilities', async () => {
    const { code, stderr } = await audited({ message: '405 Method Not Allowed' });
    expect(code).toBe(1);
    expect(stderr).toContain('npm audit failed: 405 Method Not Allowed');
  });
});
