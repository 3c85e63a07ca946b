import { expect, it } from 'vitest';
import { streamShares, type StreamReader } from '../../../src/ofrep/push/stream-shares.js';

const LIMITS = { maxStreams: 5_000, maxStreamsPerUser: 8, maxStreamsPerAddress: 250 };

/** How many streams are opened for these readers, one after another. */
function opened(readers: Iterable<StreamReader>, shares = streamShares(LIMITS)): number {
  let count = 0;
  for (const reader of readers) if (shares.take(reader) !== undefined) count++;
  return count;
}
const times = (count: number, reader: (at: number) => StreamReader) =>
  Array.from({ length: count }, (_, at) => reader(at));

it('a user has 8 streams, and an address 250, whatever users it names', () => {
  expect(opened(times(20, () => ({ user: 'ada' })))).toBe(8);
  expect(opened(times(20, (at) => ({ user: 'ada', address: `198.51.100.${at}` })))).toBe(8);
  expect(opened(times(5_000, (at) => ({ user: `user-${at}`, address: '198.51.100.1' })))).toBe(250);
});

it('one machine cannot use up what strangers share, and all strangers leave room for users', () => {
  const shares = streamShares(LIMITS);
  expect(
    opened(
      times(5_000, () => ({ user: '', address: '198.51.100.1' })),
      shares,
    ),
  ).toBe(8);
  expect(opened([{ user: '', address: '198.51.100.2' }], shares)).toBe(1);
  const many = times(5_000, (at) => ({ user: '', address: `10.${at >> 8}.${at & 255}.1` }));
  expect(opened(many, shares)).toBe(500 - 9);
  expect(opened([{ user: 'ada', address: '198.51.100.1' }], shares)).toBe(1);
});

it('strangers without an address count as one user', () => {
  expect(opened(times(20, () => ({ user: '' })))).toBe(8);
});

it.each([
  ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::7', true],
  ['2001:db8::1', '2001:db8:0:0:1::', true],
  ['fe80::1%eth0', 'fe80::2%eth1', true],
  ['::1', '::2', true],
  ['::ffff:198.51.100.1', '198.51.100.1', true],
  ['::ffff:198.51.100.1', '::ffff:198.51.100.2', false],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db9::1', false],
])('the addresses %s and %s count as one: %s', (one, other, areOne) => {
  const shares = streamShares({ ...LIMITS, maxStreamsPerAddress: 1 });
  expect(
    opened(
      [
        { user: 'ada', address: one },
        { user: 'grace', address: other },
      ],
      shares,
    ),
  ).toBe(areOne ? 1 : 2);
});

it('a stream that has ended counts no more', () => {
  const shares = streamShares({ ...LIMITS, maxStreamsPerUser: 1 });
  const reader = { user: '', address: '198.51.100.1' };
  const leave = shares.take(reader);
  expect(shares.take(reader)).toBeUndefined();
  leave?.();
  expect(shares.take(reader)).toBeDefined();
});
