import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../contract/settings.fixture.js';
import { textOf, workflow, type Job } from './workflow.fixture.js';

/*
 * Only GitHub shows whether the contract tests ask a real Flipt, and all is green even if they do not. So this test
 * checks everything that could prevent it.
 */

const contract = workflow('contract.yml');
const { v1, v2 } = contract.jobs as { readonly v1: Job; readonly v2: Job };
const [version1 = '', version2 = ''] = textOf('test/recordings/README.md').match(/\bv\d+\.\d+\.\d+/g) ?? [];

const CONTRACT_TESTS = /^npx vitest run test\/contract(\/\S+)?$/;
const testsOf = ({ steps }: Job) => steps.filter(({ run = '' }) => CONTRACT_TESTS.test(run));

it('has no other jobs', () => {
  expect(Object.keys(contract.jobs)).toEqual(['v1', 'v2']);
});

describe.each([
  {
    job: v1,
    version: version1,
    recording: 'alpha.v1',
    command: 'npx vitest run test/contract',
    features: ['evaluation/alpha.v1', 'service/base'],
    needed: ['FLIPT_TEST_TOKEN', 'FLIPT_TEST_URL'],
  },
  {
    job: v2,
    version: version2,
    recording: 'alpha.v2',
    command: 'npx vitest run test/contract/evaluation.test.ts',
    features: ['evaluation/alpha.v2'],
    needed: [],
  },
])('the job of Flipt $version', ({ job, version, recording, command, features, needed }) => {
  const given = { ...contract.env, ...job.env, ...testsOf(job)[0]?.env };

  it('starts the official image of the version that was recorded', () => {
    expect(job.env?.IMAGE).toBe(`docker.flipt.io/flipt/flipt:${version}`);
    const started = job.steps.flatMap(({ run = '' }) => run.match(/docker run(?:.*\\\n)*.*/g) ?? []);
    expect(started.filter((one) => !one.includes('"$IMAGE"'))).toEqual([]);
    expect(started.filter((one) => one.includes('--detach'))).toHaveLength(features.length);
  });

  it('gives it the features that were recorded, and no others', () => {
    const used = job.steps.flatMap(({ run = '' }) => run.match(/(?<=test\/recordings\/)[\w./]+/g) ?? []);
    expect(used).toEqual(features.map((name) => `${name}.features.yml`));
  });

  it('has the tests ask that server and no stand-in', () => {
    expect(testsOf(job).map(({ run, if: when }) => [run, when])).toEqual([[command, undefined]]);
    expect(given).toMatchObject({ FLIPT_CONTRACT: 'real', FLIPT_RECORDING: recording });
    const names = Object.keys(given).filter((name) => name !== 'IMAGE');
    expect(names.sort()).toEqual(['FLIPT_CONTRACT', 'FLIPT_RECORDING', ...needed, 'FLIPT_URL']);
    expect(names.filter((name) => !(VARIABLES as readonly string[]).includes(name))).toEqual([]);
  });

  it('waits for each address that it gives, at a server that it has started', () => {
    const all = job.steps.map(({ run = '' }) => run).join('\n');
    for (const url of [given.FLIPT_URL, given.FLIPT_TEST_URL].filter((one) => one !== undefined)) {
      expect(all).toContain(` ${url}/health`);
      expect(all).toContain(`--publish ${new URL(url).port}:8080`);
    }
  });
});
