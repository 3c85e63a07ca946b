import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/http/reply.js';
import { manualClock } from '../../clock.fixture.js';
import { memoryStore } from '../shared/memory-store.fixture.js';
import { savingStore } from '../stores/saving-store.fixture.js';
import { BODY, LEFT_OUT, NEW, OLD, POLL_MS, upgradable, watchingVersions } from './versions.fixture.js';

describe('what is kept', () => {
  const kept = async (info: Outcome) => {
    const clock = manualClock();
    const snapshots = await watchingVersions(upgradable(clock, info).send, clock);
    await clock.advance(1);
    const body = snapshots.body();
    await snapshots.close();
    return body;
  };
  const down = async (initial: object, semantics?: 'v2.8') => {
    const clock = manualClock();
    const service = upgradable(clock, NEW);
    service.isDown = true;
    const snapshots = await watchingVersions(service.send, clock, { initial, semantics });
    await clock.advance(1);
    const without = snapshots.without();
    await snapshots.close();
    return without;
  };

  it('says by which rules it is read', async () => {
    expect(await kept(OLD)).toMatchObject({ semantics: 'v2.8' });
    expect(await kept(NEW)).toMatchObject({ semantics: 'v2' });
    expect(await down((await kept(OLD)) ?? {})).toBe(LEFT_OUT);
    expect(await down((await kept(NEW)) ?? {}, 'v2.8')).toBe(0);
  });

  it("is read by the newest rules, if it does not say so: Flipt's own and that of older versions", async () => {
    expect(await down(BODY)).toBe(0);
    expect(await down(BODY, 'v2.8')).toBe(LEFT_OUT);
    expect(await down({ ...BODY, semantics: 'v9' })).toBe(0);
  });

  it('in a store is read by its rules before Flipt answers, and written again when they change', async () => {
    const clock = manualClock();
    const { store, saved } = savingStore();
    const service = upgradable(clock, OLD);
    const first = await watchingVersions(service.send, clock, { store });
    await clock.advance(1);
    await first.close();
    service.isDown = true;
    const second = await watchingVersions(service.send, clock, { store });
    await clock.advance(1);
    expect([second.without(), second.warnings]).toEqual([LEFT_OUT, []]);

    service.isDown = false;
    service.info = NEW;
    await clock.advance(2 * POLL_MS);
    expect([second.semantics(), second.changed]).toEqual(['v2', [['uneven']]]);
    await clock.advance(5_000);
    expect(saved.at(-1)).toContain('"semantics":"v2"');
    await second.close();
  });
});

describe('a fleet that shares a store', () => {
  it('agrees: the instance that polls asks, and the others read what it has read', async () => {
    const clock = manualClock();
    const store = memoryStore(clock);
    const service = upgradable(clock, OLD);
    const fleet = await Promise.all(
      Array.from({ length: 5 }, () => watchingVersions(service.send, clock, { store: store.reached() })),
    );
    const rules = () => new Set(fleet.map(({ semantics }) => semantics()));
    await clock.advance(2 * POLL_MS);
    expect(rules()).toEqual(new Set(['v2.8']));
    // One beside each of its polls, because an upgrade would change answers.
    expect([service.questions, service.polls]).toEqual([3, 3]);

    service.isDown = true;
    await clock.advance(2 * POLL_MS);
    service.isDown = false;
    service.info = NEW;
    await clock.advance(4 * POLL_MS);
    expect(rules()).toEqual(new Set(['v2']));
    for (const { changed } of fleet) expect(changed).toEqual([['uneven']]);

    // Who takes over does not go back to what it was answered before.
    for (const one of fleet.splice(0, 4)) await one.close();
    await clock.advance(4 * POLL_MS);
    expect(rules()).toEqual(new Set(['v2']));
    expect(fleet[0]?.changed).toEqual([['uneven']]);
    await fleet[0]?.close();
  });
});
