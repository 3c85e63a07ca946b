import { describe, expect, it } from 'vitest';
import type { FliptProviderOptions } from '../../src/index.js';
import { localService, open, recordingLogger, refusedAddress } from '../provider/open.fixture.js';
import { savedText } from '../snapshot/saved-text.fixture.js';
import { inMemory, snapshot, well } from './in-memory.fixture.js';
import { FEATURES, PRO } from './features.fixture.js';
import { patientWithStores } from './hurry.fixture.js';

const DAY_MS = 86_400_000;
const MODES = ['remote', 'in-process'] as const;

/** As the command `snapshot` writes it: the banner has this value. */
const copy = (daysAgo: number, enabled = true, more: object = {}) => ({
  confirmedAt: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
  namespace: { key: 'default' },
  flags: [{ key: 'banner', type: 'BOOLEAN_FLAG_TYPE', enabled, rollouts: [] }],
  semantics: 'v1',
  ...more,
});

/** A provider with these options while Flipt is down, and what it warned of an old snapshot. */
async function started(options: FliptProviderOptions) {
  patientWithStores();
  const logger = recordingLogger();
  const url = await refusedAddress();
  const opened = await open({ url, http: { retries: 0 }, logger, ...options });
  const warnings = (words: RegExp) =>
    logger.warn.mock.calls.map(([message]) => String(message)).filter((message) => words.test(message));
  return { ...opened, warnings, banner: () => opened.client.getBooleanDetails('banner', false, PRO) };
}

describe.each(MODES)('a start without Flipt from a copy of three days ago, %s', (evaluation) => {
  it('gives its values with their age, and warns once', async () => {
    const { banner, provider, warnings } = await started({ evaluation, snapshot: { initial: copy(3) } });
    const { value, errorCode, flagMetadata } = await banner();
    expect([value, errorCode]).toEqual([true, undefined]);
    expect(Number(flagMetadata.ageMs) / DAY_MS).toBeCloseTo(3, 1);
    const { ageMs, confirmedAt } = provider.getStatus().watch ?? {};
    expect(Number(ageMs) / DAY_MS).toBeCloseTo(3, 1);
    expect((Date.now() - Date.parse(String(confirmedAt))) / DAY_MS).toBeCloseTo(3, 1);
    await provider.refresh();
    await banner();
    expect(warnings(/is old/)).toEqual(['The snapshot is old: Flipt last confirmed it 3 days ago']);
  });

  it('does not warn of a copy of this morning', async () => {
    const { banner, warnings } = await started({ evaluation, snapshot: { initial: copy(0.4) } });
    expect(await banner()).toMatchObject({ value: true });
    expect(warnings(/is old/)).toEqual([]);
  });

  it.each([
    ['a younger copy wins over what is kept', 2, 1, true],
    ['what is kept wins over an older copy', 1, 2, false],
  ])('%s', async (_, keptDays, copyDays, expected) => {
    const url = await refusedAddress();
    const { confirmedAt, ...body } = copy(keptDays, false);
    const place = { url, namespace: 'default', environment: undefined };
    const text = savedText(body, { confirmedAt: Date.parse(confirmedAt) }, place);
    const store = { load: () => Promise.resolve(text), save: () => Promise.resolve() };
    const snapshot = { store, initial: copy(copyDays) };
    const { provider, client } = await started({ url, evaluation, snapshot });
    expect(await client.getBooleanValue('banner', !expected, PRO)).toBe(expected);
    expect(Number(provider.getStatus().watch?.ageMs) / DAY_MS).toBeCloseTo(1, 1);
  });
});

it('offline, an old copy is warned of at once, and answers', async () => {
  const { banner, warnings } = await started({
    evaluation: 'in-process',
    watch: false,
    snapshot: { initial: copy(1) },
  });
  expect(await banner()).toMatchObject({ value: true });
  expect(warnings(/is old/)).toEqual(['The snapshot is old: Flipt last confirmed it a day ago']);
});

it('nothing is said of the age while Flipt answers, or if the age is not known', async () => {
  const { url } = await localService({ features: FEATURES });
  const undated = copy(0, true, { confirmedAt: undefined });
  const online = await started({ url, evaluation: 'in-process', snapshot: { initial: copy(3) } });
  const offline = await started({ evaluation: 'in-process', snapshot: { initial: undated } });
  expect((await online.banner()).flagMetadata).toMatchObject({ ageMs: expect.any(Number) as number });
  expect((await offline.banner()).flagMetadata).not.toHaveProperty('ageMs');
  expect([...online.warnings(/is old/), ...offline.warnings(/is old/)]).toEqual([]);
});

const oldLines = ({ logger }: ReturnType<typeof inMemory>) =>
  logger.warn.mock.calls.filter(([message]) => /is old/.test(String(message)));

it('each outage that becomes longer than a day is warned of once', async () => {
  // Polls and checks of two days at their usual pace would take most of the test's time.
  const seldom = { watch: { pollMs: 600_000 }, breaker: { openForMs: 600_000, maxOpenForMs: 600_000 } };
  const runs = inMemory({ evaluation: 'in-process', ...seldom }, well(true));
  await runs.ended(runs.life.start());
  await runs.ended(runs.refresh());
  for (const warnings of [1, 2]) {
    runs.service.answering = () => 503;
    for (const hours of [23, 2, 1]) {
      await runs.clock.advance((hours * DAY_MS) / 24);
      await runs.ended(runs.refresh());
      expect(oldLines(runs)).toHaveLength(hours === 23 ? warnings - 1 : warnings);
    }
    runs.service.answering = well(true);
    await runs.clock.advance(DAY_MS / 24);
    await runs.ended(runs.refresh());
  }
});

it('a first request that waits for the refresh gets the values of the copy', async () => {
  const initial = { ...snapshot(true), confirmedAt: '2023-12-25T00:00:00.000Z' };
  const runs = inMemory({ evaluation: 'in-process', snapshot: { initial } }, () => 503);
  await runs.ended(runs.life.start());
  await runs.ended(runs.refresh());
  const { answer, ageMs } = await runs.ended(runs.resolve('user-1'));
  expect([answer.kind, ageMs / DAY_MS]).toEqual(['boolean', 7]);
  expect(oldLines(runs)).toEqual([['The snapshot is old: Flipt last confirmed it 7 days ago']]);
});

it('a copy of another environment is not used, and a warning says so', async () => {
  const initial = copy(0, true, { environment: 'staging' });
  const offline = { evaluation: 'in-process', watch: false, snapshot: { initial } } as const;
  const other = await started({ ...offline, environment: 'production' });
  expect(await other.banner()).toMatchObject({ value: false, errorCode: 'GENERAL' });
  expect(other.warnings(/not used/)).toEqual([
    'snapshot.initial is not used: it belongs to environment "staging", and the option is "production"',
  ]);
  expect((await started(offline)).warnings(/and the option is none/)).toHaveLength(1);
  const same = await started({ ...offline, environment: 'staging' });
  expect(await same.banner()).toMatchObject({ value: true });
});

it('the result of getSnapshot knows its age, too', async () => {
  const first = await started({ evaluation: 'in-process', snapshot: { initial: copy(3) } });
  const initial = await first.provider.getSnapshot();
  expect(Object.keys(initial ?? {})).not.toContain('environment');
  const { banner } = await started({ evaluation: 'in-process', snapshot: { initial } });
  expect(Number((await banner()).flagMetadata.ageMs) / DAY_MS).toBeCloseTo(3, 1);
});

it('a date that is none is no date, and one of the future is now', async () => {
  for (const confirmedAt of ['soon', '2024-01-01T00:00:00+05']) {
    const none = await started({ snapshot: { initial: { ...copy(0), confirmedAt } } });
    expect((await none.banner()).flagMetadata).not.toHaveProperty('ageMs');
  }
  const future = await started({ snapshot: { initial: copy(-3) } });
  const { ageMs } = (await future.banner()).flagMetadata;
  expect([Number(ageMs) >= 0, Number(ageMs) < DAY_MS]).toEqual([true, true]);
});
