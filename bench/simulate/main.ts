/*
 * Simulates what a fleet asks of Flipt, and how soon a fleet that has just started sees changes. It prints the tables
 * of docs/operating.md:
 *
 *   npx tsx bench/simulate/main.ts           1,000 instances, some minutes
 *   npx tsx bench/simulate/main.ts 100    so many instances
 *   npx tsx bench/simulate/main.ts 1000 2500    of a Flipt that needs 2.5 s for a whole snapshot, as v1 does for 1,000 flags
 */
import { MODES, simulated, type Load } from './fleet.js';
import { startOf, type FleetStart } from './starts.js';
import { startsTable, table } from './table.js';

/** How long Flipt v1 with SQLite needs for 40 flags. */
const FEW_FLAGS_MS = 46;
const FLEETS = [20, 60, 200, 500];

const instances = Number(process.argv[2] ?? 1_000);
const wholeMs = Number(process.argv[3] ?? 0);
const loads = new Map<string, Load>();
for (const [mode, optionsOf] of MODES) loads.set(mode, await simulated(instances, optionsOf, wholeMs));
console.log(`${table(loads)}\n`);
const starts = new Map<number, FleetStart>();
for (const size of FLEETS) starts.set(size, await startOf(size, wholeMs || FEW_FLAGS_MS));
console.log(startsTable(starts));
