import type { Series } from './scraped.fixture.js';

/** The series that Prometheus got at a time. */
export interface Scrape {
  readonly atMs: number;
  readonly series: readonly Series[];
}

/**
 * The part of PromQL that the alerts of the example use: a comparison of a selector, or of a `rate` of one, with a
 * number. Throws for anything else, so that no alert is evaluated wrongly.
 */
const EXPRESSION =
  /^(?<rate>rate\()?(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>[^}]*)\})?(?:\[(?<minutes>\d+)m\]\))? (?<operator>==|>) (?<number>\d+(?:\.\d+)?)$/;
const LABEL = /^\s*(?<label>\w+)(?<operator>=|!=)"(?<value>[^"\\]*)"\s*$/;

/** Returns the series for which the expression holds at the last of these scrapes. */
export function evaluated(expression: string, scrapes: readonly Scrape[]): readonly Series[] {
  const parts = EXPRESSION.exec(expression)?.groups;
  const isRate = parts?.rate !== undefined;
  if (parts === undefined || isRate !== (parts.minutes !== undefined)) {
    throw new Error(`not in the part of PromQL that is evaluated here: ${expression}`);
  }
  const { name = '', labels = '', minutes = '', operator, number } = parts;
  const matches = labels === '' ? [] : labels.split(',').map(labelMatch);
  const last = scrapes.at(-1);
  const selected = (last?.series ?? []).filter(
    (one) => one.name === name && matches.every((isMatch) => isMatch(one.labels)),
  );
  const values = isRate ? ratesOf(selected, scrapes, Number(minutes) * 60_000) : selected;
  const isTrue = (value: number) => (operator === '==' ? value === Number(number) : value > Number(number));
  return values.filter(({ value }) => isTrue(value));
}

/** Whether the expression has held for some series at all scrapes of the last `forMs`, as Prometheus counts it. */
export function isFiring(expression: string, forMs: number, scrapes: readonly Scrape[]): boolean {
  const end = scrapes.at(-1)?.atMs ?? 0;
  if ((scrapes[0]?.atMs ?? end) > end - forMs) return false;
  const during = scrapes.flatMap(({ atMs }, at) => (atMs >= end - forMs ? [scrapes.slice(0, at + 1)] : []));
  const held = during.map((until) => new Set(evaluated(expression, until).map(identity)));
  return [...(held[0] ?? [])].some((series) => held.every((one) => one.has(series)));
}

function labelMatch(text: string): (labels: Series['labels']) => boolean {
  const parts = LABEL.exec(text)?.groups;
  if (parts === undefined) throw new Error(`no matcher of a label that is evaluated here: ${text}`);
  const { label = '', operator, value } = parts;
  return (labels) => ((labels[label] ?? '') === value) === (operator === '=');
}

/** Returns the increase of each series in a second, without Prometheus's extrapolation to the ends of the window. */
function ratesOf(selected: readonly Series[], scrapes: readonly Scrape[], windowMs: number) {
  const end = scrapes.at(-1)?.atMs ?? 0;
  const window = scrapes.filter(({ atMs }) => atMs > end - windowMs);
  return selected.flatMap((one) => {
    const samples = window.flatMap(({ atMs, series }) =>
      series.filter((other) => identity(other) === identity(one)).map(({ value }) => ({ atMs, value })),
    );
    const [first, last] = [samples[0], samples.at(-1)];
    if (first === undefined || last === undefined || first === last) return [];
    // A counter that falls was reset to 0.
    const increase = samples.reduce((sum, { value }, at) => {
      const before = samples[at - 1]?.value ?? value;
      return sum + (value >= before ? value - before : value);
    }, 0);
    return [{ ...one, value: increase / ((last.atMs - first.atMs) / 1_000) }];
  });
}

function identity({ name, labels }: Series): string {
  return JSON.stringify([name, Object.entries(labels).sort()]);
}
