import { expect, it } from 'vitest';
import { FAILURES, type FailurePolicy } from '../../src/model/failure.js';
import { quotesOf, tableOf } from './pages.fixture.js';

/** The words of the page for what follows from a failure. Where they are missing, it does not. */
const COUNTS: Readonly<Record<FailurePolicy['countsForCircuit'], string>> = {
  yes: 'counts for the circuit',
  no: '',
  'if-a-check-fails': 'counts for the circuit if a check fails',
};
const countsOf = (follows: readonly string[]) => follows.find((word) => word.startsWith('counts')) ?? '';

/** What a row says about each of its kinds. */
const saidBy = ([kinds = '', , cause, last = '']: readonly string[]) => {
  const follows = last.split(/[;,] /);
  const known = ['retried', 'always the default', 'divided', ...Object.values(COUNTS)];
  return quotesOf(kinds).map((kind) => [
    kind,
    {
      cause,
      retried: follows.includes('retried'),
      counts: countsOf(follows),
      divided: follows.includes('divided'),
      onlyDefault: follows.includes('always the default'),
      code: quotesOf(last)[0] ?? 'GENERAL',
      unknown: follows.filter((word) => !known.includes(word) && !word.startsWith('`')),
    },
  ]);
};

it('docs/how-it-works.md says of each kind of failure what the code decides', () => {
  const said = tableOf('docs/how-it-works.md', 'Kind', 'When', 'Cause').flatMap(saidBy);
  const decided = Object.entries(FAILURES).map(([kind, policy]) => [
    kind,
    {
      cause: policy.cause,
      retried: policy.retryable,
      counts: COUNTS[policy.countsForCircuit],
      divided: policy.spoilsBatch,
      onlyDefault: !policy.lastKnownAnswer,
      code: policy.errorCode,
      unknown: [],
    },
  ]);
  expect(said.sort()).toEqual(decided.sort());
});
