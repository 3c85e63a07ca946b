import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import type {} from './packed-folder.fixture.js';

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
  '@opentelemetry/api',
  'reflect-metadata',
  'rxjs',
];
/** What those have who write TypeScript. */
const TYPES = ['typescript', '@types/node'];

/** The package as it would be published: packed, and installed elsewhere. */
export interface Packed {
  readonly tarball: string;
  /** What `npm install` would put into node_modules. */
  readonly folder: string;
  /** Makes a folder whose modules are the package, its dependencies and, if asked for, frameworks. */
  readonly consumer: (name: string, frameworks: boolean) => Promise<string>;
}

const installedIn = (project: string) => join(project, 'node_modules', NAME);

/** Where a consumer finds the package. */
export const installedFor = (consumer: string) => installedIn(dirname(consumer));

/** The package is packed and installed once for all test files of a run. Needs no network. */
export async function packed(): Promise<Packed> {
  if (!existsSync(join(ROOT, 'dist/index.js'))) throw new Error('nothing to pack: npm run build first');
  const tarball = join(await once('tarball', pack), 'package.tgz');
  const project = (frameworks: boolean) =>
    once(frameworks ? 'with-frameworks' : 'without-frameworks', (folder) =>
      install(tarball, folder, frameworks),
    );
  return {
    tarball,
    folder: installedIn(await project(false)),
    async consumer(name, frameworks) {
      const folder = join(await project(frameworks), name);
      mkdirSync(folder);
      return folder;
    },
  };
}

/** Makes a folder unless there is one. Where two test files make it at once, the first that is done wins. */
async function once(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const base = inject('packedFolder');
  const folder = join(base, name);
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(join(base, `${name}-`));
  await make(draft);
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(draft, { recursive: true });
  }
  return folder;
}

async function pack(folder: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    env: { ...process.env, npm_config_offline: 'true', npm_config_dry_run: 'false' },
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  renameSync(join(folder, filename), join(folder, 'package.tgz'));
}

async function install(tarball: string, project: string, frameworks: boolean): Promise<void> {
  // Not a link to a folder: Node would look for its dependencies where the link leads.
  const folder = installedIn(project);
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
  for (const dependency of [...NEEDED, ...TYPES, ...(frameworks ? FRAMEWORKS : [])]) {
    const link = join(project, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', dependency), link);
  }
}

export interface Complaint {
  /** Counted from the folder that was compiled. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** What the compiler says of each folder; each has a tsconfig.json. */
export async function compiled(folders: readonly string[]): Promise<readonly (readonly Complaint[])[]> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'compile.mjs'), ...folders]);
  return JSON.parse(stdout) as readonly (readonly Complaint[])[];
}
