import { expect, it } from 'vitest';
import { FAILURES, type FailureTraits } from '../../src/model/failure-traits.js';
import { quotesOf, tableOf } from './pages.fixture.js';

/** An empty cell means no. */
const COUNTS: Readonly<Record<FailureTraits['countsForCircuit'], string>> = {
  yes: 'yes',
  no: '',
  'if-all-parts-fail': 'if all parts of its batch fail',
};
const yesOrEmpty = (is: boolean) => (is ? 'yes' : '');

/** What a row says about each of its kinds. */
const saidBy = ([kinds = '', , cause, retried, counts, spoils, onlyDefault, code = '']: readonly string[]) =>
  quotesOf(kinds).map((kind) => [
    kind,
    { cause, retried, counts, spoils, onlyDefault, code: quotesOf(code)[0] ?? 'GENERAL' },
  ]);

it('docs/failures.md says of each kind of failure what the code decides', () => {
  const said = tableOf('docs/failures.md', 'Kind', 'When', 'Cause').flatMap(saidBy);
  const decided = Object.entries(FAILURES).map(([kind, traits]) => [
    kind,
    {
      cause: traits.cause,
      retried: yesOrEmpty(traits.retryable),
      counts: COUNTS[traits.countsForCircuit],
      spoils: yesOrEmpty(traits.spoilsBatch),
      onlyDefault: yesOrEmpty(!traits.lastKnownAnswer),
      code: traits.errorCode,
    },
  ]);
  expect(said.sort()).toEqual(decided.sort());
});
