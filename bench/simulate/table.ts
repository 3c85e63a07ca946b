import { markdownTable } from '../markdown-table.js';
import type { Load } from './fleet.js';
import type { FleetStart } from './starts.js';

const HEAD = ['Mode', 'At rest', 'After a change', 'A deploy of all at once', "After Flipt's restart"];

const STARTS_HEAD = [
  'Instances',
  'Whole snapshots in 2 min',
  'A change at the start',
  'A second one after 2 min',
  'A first one after 2 min',
  'Requests at rest',
];

/** Writes the first table of docs/operating.md: what a fleet asks of Flipt. */
export function table(loads: ReadonlyMap<string, Load>): string {
  return markdownTable([HEAD, ...[...loads].map(([mode, load]) => [mode, ...cells(load)])]);
}

/** Writes the second table: how soon fleets that start at once see changes. */
export function startsTable(starts: ReadonlyMap<number, FleetStart>): string {
  const seconds = (ms: number) => `${Math.round(ms / 1000)} s`;
  const rows = [...starts].map(
    ([instances, { whole, firstChangeMs, secondChangeMs, seenWithinMs, restPerSecond }]) => [
      String(instances),
      String(whole),
      seconds(firstChangeMs),
      seconds(secondChangeMs),
      seconds(seenWithinMs),
      `${rounded(restPerSecond)}/s`,
    ],
  );
  return markdownTable([STARTS_HEAD, ...rows]);
}

function cells({ restPerSecond, change, deploy, restart }: Load): readonly string[] {
  const most = ({ mostPerSecond, whole }: Load['change']) =>
    whole === 0 ? `${mostPerSecond}/s` : `${mostPerSecond}/s, ${whole} whole`;
  return [`${rounded(restPerSecond)}/s`, most(change), most(deploy), most(restart)];
}

function rounded(count: number): string {
  return count < 10 ? String(Math.round(count * 100) / 100) : String(Math.round(count));
}
