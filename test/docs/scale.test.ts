import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MODES, simulated, type Load } from '../../bench/simulate/fleet.js';
import { table } from '../../bench/simulate/table.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
const TABLE = PAGE.split('\n\n').find((part) => part.startsWith('| Mode ')) ?? '';
const INSTANCES_OF_PAGE = 1_000;
const FEW = 20;
const SHARE = INSTANCES_OF_PAGE / FEW;

vi.setConfig({ hookTimeout: 60_000 });

const cellsOf = (row: string) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
const rows = TABLE.split('\n')
  .filter((line) => line.startsWith('|'))
  .map(cellsOf);
const numbersIn = (cell = '') => (cell.match(/[\d.]+/g) ?? []).map(Number);

describe('the table of docs/operating.md', () => {
  const loads = new Map<string, Load>();
  beforeAll(async () => {
    for (const [mode, optionsOf] of MODES) loads.set(mode, await simulated(FEW, optionsOf));
  });

  it('has the rows and columns that npm run bench -- simulate prints', () => {
    const printed = table(loads).split('\n').map(cellsOf);
    expect(rows[0]).toEqual(printed[0]);
    expect(rows.slice(2).map(([mode]) => mode)).toEqual(printed.slice(2).map(([mode]) => mode));
  });

  it.each(MODES.map(([mode]) => mode))('says of "%s" what a small run shows', (mode) => {
    const load = loads.get(mode);
    const [, rest, change, deploy, restart] = rows.find(([name]) => name === mode) ?? [];
    if (load === undefined) throw new Error('there was no run');
    const isShared = mode.includes('shared');
    // With a shared store, one instance polls, whatever their number. Otherwise each does.
    const many = (whole: number) => (isShared ? whole : whole * SHARE);
    const [restPerSecond = 0] = numbersIn(rest);
    expect(restPerSecond / many(load.restPerSecond)).toBeGreaterThan(0.8);
    expect(restPerSecond / many(load.restPerSecond)).toBeLessThan(1.25);
    expect(numbersIn(change)[1] ?? 0).toBe(many(load.change.whole));
    expect(numbersIn(deploy)[1] ?? 0).toBe(many(load.deploy.whole));
    expect(numbersIn(restart)[1] ?? 0).toBe(many(load.restart.whole));
    // If instances share a store, a short restart must not make each of them ask Flipt.
    if (isShared) expect(numbersIn(restart)[0]).toBe(load.restart.mostPerSecond);
  });

  it.each(MODES)(
    'a Flipt that needs 2.5 s for a whole snapshot is asked for no more, in the mode %s',
    async (mode, optionsOf) => {
      const load = loads.get(mode);
      const slow = await simulated(FEW, optionsOf, 2_500);
      const wholeOf = (load?: Load) =>
        load === undefined ? 0 : load.deploy.whole + load.change.whole + load.restart.whole;
      expect(wholeOf(slow)).toBeLessThanOrEqual(1.25 * wholeOf(load));
      expect(slow.change.whole).toBeLessThanOrEqual(1.5 * (load?.change.whole ?? 0));
      expect(slow.restPerSecond).toBeLessThanOrEqual((load?.restPerSecond ?? 0) * 1.25);
    },
  );
});
