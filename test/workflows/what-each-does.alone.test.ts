import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import vitest from '../../vitest.config.js';
import { manifest, ROOT, runsOf, textOf, workflow, type Job } from './workflow.fixture.js';

const MAIN = { branches: ['main'] };

const commands = (name: string, job: string) => runsOf(workflow(name).jobs[job]!);
const nodeOf = ({ steps }: Job) =>
  steps.find(({ uses = '' }) => uses.startsWith('actions/setup-node@'))?.with?.['node-version'];

describe('test.yml', () => {
  const { on, jobs } = workflow('test.yml');

  it('runs for every pull request, and for what is on main', () => {
    expect(on).toEqual({ push: MAIN, pull_request: null });
  });

  it('runs everything on each line of Node of scripts/matrix.js, from the one that the manifest names', async () => {
    const { LINES } = (await import(`${ROOT}/scripts/nodes.js`)) as { readonly LINES: readonly string[] };
    expect(jobs.test?.strategy?.matrix).toEqual({ node: LINES.map(Number) });
    expect(nodeOf(jobs.test!)).toBe('${{ matrix.node }}');
    expect(manifest.engines.node).toMatch(new RegExp(`^>=${LINES[0]!}\\b`));
  });

  it.each([
    ['test', 'npm test'],
    ['lowest', 'npm run test:oldest-peers'],
    ['floor', 'npm run test:oldest-node'],
    ['runtimes', 'npm run test:runtimes'],
    ['reference', 'npm run docs'],
    ['audit', 'npm run audit'],
  ])('has a job %s that does %s', (job, command) => {
    expect(commands('test.yml', job)).toEqual(['npm ci', command]);
  });

  it('lets npm say whether it would publish what was built, and makes the tarball of a clone', () => {
    expect(commands('test.yml', 'publish')).toEqual([
      'npm ci',
      'npm run build',
      'npm publish --dry-run',
      'node scripts/tarball.js',
    ]);
  });

  it('measures coverage once, since that is the same on each Node and takes a fifth of the time', () => {
    expect(commands('test.yml', 'coverage')).toEqual(['npm ci', 'npm run build', 'npm run test:coverage']);
    expect(manifest.scripts['test:coverage']).toBe(`${manifest.scripts['test:all']!} --coverage`);
    const { thresholds } = vitest.test?.coverage ?? {};
    expect(thresholds).toEqual({ lines: 95, branches: 95 });
  });
});

describe('contract.yml', () => {
  it('runs for every pull request, for what is on main, and each week', () => {
    const weekly = [{ cron: '17 4 * * 1' }];
    const { on } = workflow('contract.yml');
    expect(on).toEqual({ push: MAIN, pull_request: null, schedule: weekly, workflow_dispatch: null });
  });
});

describe('newest.yml', () => {
  it('runs everything each week, with the newest SDK and the newest of each dependency', () => {
    expect(workflow('newest.yml').on).toMatchObject({ schedule: [{ cron: '43 4 * * 1' }] });
    const inlined = JSON.parse(textOf('etc/inlined.json')) as string[];
    const dependencies = [...inlined, ...Object.keys(manifest.dependencies)].join(' ');
    expect(commands('newest.yml', 'newest')).toEqual([
      'npm ci',
      `npm update --no-save ${dependencies}`,
      'npm install --no-save @openfeature/server-sdk@latest @openfeature/core@latest',
      `npm ls @openfeature/server-sdk @openfeature/core ${dependencies}`,
      'npm test',
    ]);
  });

  it('asks for known vulnerabilities each week, since the npm audit of users knows no inlined packages', () => {
    expect(commands('newest.yml', 'audit')).toEqual(['npm ci', 'npm run audit']);
  });
});

describe('release.yml', () => {
  const { on, jobs } = workflow('release.yml');
  const pack = jobs.pack!;
  const publish = jobs.publish!;

  it('runs for a tag of a version and for nothing else', () => {
    expect(on).toEqual({ push: { tags: ['v*'] } });
    expect(Object.keys(jobs)).toEqual(['pack', 'publish']);
  });

  it('packs what it has tested, if tag, manifest, changelog and repository fit', () => {
    const [versions, publishable, repository, ...rest] = runsOf(pack);
    expect(publishable).toBe(manifest.scripts.prepublishOnly);
    expect(versions).toContain('test "v$version" = "$GITHUB_REF_NAME"');
    expect(versions).toContain('grep --quiet --fixed-strings "## [$version]" CHANGELOG.md');
    expect(repository).toContain('grep --quiet --fixed-strings "$GITHUB_REPOSITORY"');
    expect(rest.slice(0, 3)).toEqual(['npm ci', 'npm test', 'npm run audit']);
    // In that order: the tests read the links of the working tree.
    expect(rest.slice(3)).toEqual([
      'node scripts/npm-links.js',
      'node scripts/packed-manifest.js',
      'npm pack --ignore-scripts',
    ]);
    expect(manifest.scripts.prepack).toBe(`npm run build && ${rest.slice(3, 5).join(' && ')}`);
    expect(pack.permissions).toEqual({ contents: 'read' });
    expect(pack.environment).toBeUndefined();
  });

  it('signs in a job that runs no code of the repository or of its dependencies, as the environment release', () => {
    expect(publish).toMatchObject({ needs: 'pack', environment: 'release' });
    expect(publish.permissions).toEqual({ 'id-token': 'write' });
    expect(publish.steps.flatMap(({ uses }) => uses?.replace(/@.*/, '') ?? [])).toEqual([
      'actions/setup-node',
      'actions/download-artifact',
    ]);
    const { name } = pack.steps.at(-1)?.with ?? {};
    expect(publish.steps[1]?.with).toEqual({ name });
  });

  it('publishes the packed file without scripts, and gives a prerelease the tag next', () => {
    const signed = 'npm publish ./*.tgz --provenance --access public --ignore-scripts';
    expect(publish.steps.slice(2)).toMatchObject([
      { if: "${{ !contains(github.ref_name, '-') }}", run: signed },
      { if: "${{ contains(github.ref_name, '-') }}", run: `${signed} --tag next` },
    ]);
    expect(publish.steps.filter((step) => step.if !== undefined)).toHaveLength(2);
  });
});

describe('reference.yml', () => {
  const { on, jobs } = workflow('reference.yml');

  it('publishes the reference of each version, in a job that runs no code of the repository', () => {
    expect(on).toEqual({ push: { tags: ['v*'] }, workflow_dispatch: null });
    expect(commands('reference.yml', 'build')).toEqual(['npm ci', 'npm run docs']);
    expect(jobs.build!.permissions).toEqual({ contents: 'read' });
    expect(jobs.build!.steps.at(-1)?.with).toEqual({ path: 'docs/api' });
    expect(jobs.publish).toMatchObject({ needs: 'build', environment: 'github-pages' });
    expect(jobs.publish!.steps.map(({ uses }) => uses?.replace(/@.*/, ''))).toEqual(['actions/deploy-pages']);
  });
});

describe('dependabot.yml', () => {
  it('updates packages and actions each month, all in one request each', () => {
    const { updates } = parse(textOf('.github/dependabot.yml')) as { readonly updates: readonly object[] };
    const monthly = { directory: '/', schedule: { interval: 'monthly' } };
    expect(updates).toEqual([
      { 'package-ecosystem': 'npm', ...monthly, groups: { npm: { patterns: ['*'] } } },
      { 'package-ecosystem': 'github-actions', ...monthly, groups: { actions: { patterns: ['*'] } } },
    ]);
  });
});

describe('npm test', () => {
  it('is all of its parts', () => {
    expect(manifest.scripts.test).toBe('npm run --silent check && npm run --silent test:all');
    const [node, runner, ...lanes] = manifest.scripts.check!.split(' ');
    expect([node, runner]).toEqual(['node', 'scripts/side-by-side.js']);
    const parts = lanes.flatMap((lane) => lane.split(','));
    expect(parts.sort()).toEqual(['build', 'format', 'imports', 'lint']);
    // Warnings fail, too. What the compiler finds is part of it: `typeCheck` in .oxlintrc.json.
    expect(manifest.scripts.lint).toBe('oxlint --deny-warnings');
  });
});
