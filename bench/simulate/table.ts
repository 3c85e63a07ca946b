import type { Load } from './fleet.js';

const HEAD = ['Mode', 'At rest', 'After a change', 'A deploy of all at once', "After Flipt's restart"];

/** The table of docs/operating.md, in the form that the formatter gives it. */
export function table(loads: ReadonlyMap<string, Load>): string {
  const rows = [...loads].map(([mode, load]) => [mode, ...cells(load)]);
  const widths = HEAD.map((name, at) =>
    Math.max(...[HEAD, ...rows].map((row) => row[at]?.length ?? name.length)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(HEAD), rule, ...rows.map(line)].join('\n');
}

function cells({ restPerSecond, change, deploy, restart }: Load): readonly string[] {
  const most = ({ mostPerSecond, whole }: Load['change']) =>
    whole === 0 ? `${mostPerSecond}/s` : `${mostPerSecond}/s, ${whole} whole`;
  return [`${rounded(restPerSecond)}/s`, most(change), most(deploy), most(restart)];
}

function rounded(count: number): string {
  return count < 10 ? String(Math.round(count * 100) / 100) : String(Math.round(count));
}
