import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import type {} from './packed-folder.fixture.js';

export const NAME = 'openfeature-flipt-provider';
export const ROOT = join(import.meta.dirname, '../..');
export const run = promisify(execFile);

/** The packages of an app that installs this one as its README says. */
const NEEDED = [
  'commander',
  'lru-cache',
  'undici',
  'valibot',
  'yaml',
  '@openfeature/core',
  '@openfeature/server-sdk',
];
/** The packages of apps that use an adapter. */
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
/** The packages of apps that are written in TypeScript. */
const TYPES = ['typescript', '@types/node'];

/** The package as it is published: packed, and installed in another folder. */
export interface Packed {
  readonly tarball: string;
  /** The packages that `npm install` would put into node_modules. */
  readonly folder: string;
  /** Makes a folder whose modules are the package, its dependencies and, on request, the frameworks. */
  readonly consumer: (name: string, frameworks: boolean) => Promise<string>;
}

const installedIn = (project: string) => join(project, 'node_modules', NAME);

/** Returns the folder in which a consumer finds the package. */
export const installedFor = (consumer: string) => installedIn(dirname(consumer));

/** Packs and installs the package once for all test files of a run. It needs no network. */
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

/** Makes a folder unless it exists. If two test files make it at the same time, the first that finishes wins. */
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
  // This copies the package, because Node would look for the dependencies of a linked folder where the link leads.
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
  /** The path from the compiled folder; empty if the complaint concerns no file. */
  readonly file: string;
  readonly line: number;
  /** The complaint in one line. */
  readonly text: string;
}

/** Returns the compiler's complaints about a folder with a tsconfig.json. */
export async function compiled(folder: string): Promise<readonly Complaint[]> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [compiler, '--project', folder, '--pretty', 'false'];
  const { code, stdout } = await run(process.execPath, args, { cwd: folder }).then(
    (well) => ({ code: 0, ...well }),
    (error: unknown) => error as { readonly code: unknown; readonly stdout: string },
  );
  const complaints = complaintsOf(stdout);
  // A compiler that crashed or did not start has no complaint.
  if ((code === 0) !== (complaints.length === 0)) throw new Error(`${compiler}: ${String(code)} ${stdout}`);
  return complaints;
}

const COMPLAINT = /^(?:(?<file>.+)\((?<line>\d+),\d+\): )?error TS\d+: (?<text>.*)$/;

/** A complaint continues in the indented lines after it. */
function complaintsOf(output: string): readonly Complaint[] {
  const lines = output.replace(/\n +/g, ' ').split('\n');
  return lines.flatMap((whole) => {
    const { file = '', line = '0', text } = COMPLAINT.exec(whole)?.groups ?? {};
    if (text !== undefined) return [{ file, line: Number(line), text }];
    if (whole !== '') throw new Error(`No complaint of the compiler: ${whole}`);
    return [];
  });
}
