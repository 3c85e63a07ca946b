import { expect, it } from 'vitest';
import { FAILURES, type FailureTraits } from '../../src/model/failure.js';
import { tableOf } from './pages.fixture.js';

const words: Readonly<Record<FailureTraits['countsForCircuit'], string>> = {
  yes: 'yes',
  no: 'no',
  'if-all-parts-fail': 'if all parts of its batch fail',
};
const yesOrNo = (is: boolean) => (is ? 'yes' : 'no');
/** A reason may follow a colon. */
const withoutReason = (cell = '') => cell.split(':', 1)[0];

it('docs/failures.md says of each kind of failure what the code decides', () => {
  const rows = tableOf('docs/failures.md', 'Kind', 'When', 'Cause');
  const said = rows.map(([kind = '', , cause, retried, counts, spoils, known, code = '']) => [
    kind.replaceAll('`', ''),
    cause,
    withoutReason(retried),
    counts,
    spoils,
    withoutReason(known),
    code.replaceAll('`', ''),
  ]);
  const decided = Object.entries(FAILURES).map(([kind, traits]) => [
    kind,
    traits.cause,
    yesOrNo(traits.retryable),
    words[traits.countsForCircuit],
    yesOrNo(traits.spoilsBatch),
    yesOrNo(traits.lastKnownAnswer),
    traits.errorCode,
  ]);
  expect(said).toEqual(decided);
});
