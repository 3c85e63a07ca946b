import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export const NAME = 'openfeature-flipt-provider';
export const ROOT = join(import.meta.dirname, '../..');
export const run = promisify(execFile);

/** What everybody has who installs the package as its README says. */
const NEEDED = ['undici', 'lru-cache', 'valibot', 'yaml', '@openfeature/core', '@openfeature/server-sdk'];
/** What those have who use an adapter. */
const FRAMEWORKS = [
  'express',
  '@types/express',
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  'reflect-metadata',
  'rxjs',
];
/** What those have who write TypeScript. */
const TYPES = ['typescript', '@types/node'];

export interface Packed {
  readonly tarball: string;
  /** What `npm install` would put into node_modules. */
  readonly folder: string;
  /** Makes a folder with the package in its node_modules, beside its dependencies and, if asked for, frameworks. */
  readonly consumer: (name: string, frameworks: boolean) => Promise<string>;
  readonly remove: () => void;
}

/** The package as it would be published: packed, and unpacked again elsewhere. Needs no network. */
export async function packed(): Promise<Packed> {
  if (!existsSync(join(ROOT, 'dist/index.js'))) throw new Error('nothing to pack: npm run build first');
  const base = mkdtempSync(join(tmpdir(), 'packed-'));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', base], {
    cwd: ROOT,
    env: { ...process.env, npm_config_offline: 'true', npm_config_dry_run: 'false' },
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const tarball = join(base, filename);
  const unpack = async (folder: string) => {
    mkdirSync(folder, { recursive: true });
    await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
  };
  const folder = join(base, 'package');
  await unpack(folder);

  return {
    tarball,
    folder,
    async consumer(name, frameworks) {
      const modules = join(base, name, 'node_modules');
      // Not a link to the folder: Node would look for its dependencies where the link leads.
      await unpack(join(modules, NAME));
      for (const dependency of [...NEEDED, ...TYPES, ...(frameworks ? FRAMEWORKS : [])]) {
        mkdirSync(dirname(join(modules, dependency)), { recursive: true });
        symlinkSync(join(ROOT, 'node_modules', dependency), join(modules, dependency));
      }
      return join(base, name);
    },
    remove: () => {
      rmSync(base, { recursive: true, force: true });
    },
  };
}
