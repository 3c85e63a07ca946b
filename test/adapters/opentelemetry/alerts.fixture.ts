import { readFileSync } from 'node:fs';

const README = new URL('../../../examples/metrics/README.md', import.meta.url);

/** An alert of the example. */
export interface Alert {
  /** The condition in PromQL. */
  readonly expression: string;
  /** For how many milliseconds the condition must hold. */
  readonly forMs: number;
}

/** The alerts of the example, by name. */
export const ALERTS: ReadonlyMap<string, Alert> = new Map(
  [...readFileSync(README, 'utf8').matchAll(/^\| (\w+) +\| `([^`]+)` +\| (\d+)m +\|/gm)].map(
    ([, name = '', expression = '', minutes = '']) =>
      [name, { expression, forMs: Number(minutes) * 60_000 }] as const,
  ),
);
