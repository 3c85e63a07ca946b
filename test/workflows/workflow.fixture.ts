import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '../..');
export const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows'));
export const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
export const manifest = JSON.parse(textOf('package.json')) as {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
};

type Texts = Readonly<Record<string, string>>;

export interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Texts;
}

export interface Job {
  readonly needs?: string;
  readonly permissions?: Texts;
  readonly environment?: string;
  readonly 'timeout-minutes'?: number;
  readonly env?: Texts;
  readonly strategy?: { readonly matrix: Readonly<Record<string, unknown>> };
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Texts;
  readonly env?: Texts;
  readonly jobs: Readonly<Record<string, Job>>;
}

export const textOfWorkflow = (name: string) => textOf(`.github/workflows/${name}`);
export const workflow = (name: string) => parse(textOfWorkflow(name)) as Workflow;

/** Returns what a job runs in any case, in order. */
export function runsOf({ steps }: Job): readonly string[] {
  return steps.flatMap((step) => (step.run === undefined || step.if !== undefined ? [] : step.run.trim()));
}
