/*
 * What is Flipt asked by a fleet? Prints the table of docs/operating.md:
 *
 *   npm run simulate           1,000 instances, about a minute
 *   npm run simulate -- 100    so many instances
 *   npm run simulate -- 1000 2500    of a Flipt that needs 2.5 s for a whole snapshot, as v1 does for 1,000 flags
 */
import { MODES, simulated, type Load } from './fleet.js';
import { table } from './table.js';

const instances = Number(process.argv[2] ?? 1_000);
const wholeMs = Number(process.argv[3] ?? 0);
const loads = new Map<string, Load>();
for (const [mode, optionsOf] of MODES) loads.set(mode, await simulated(instances, optionsOf, wholeMs));
console.log(table(loads));
