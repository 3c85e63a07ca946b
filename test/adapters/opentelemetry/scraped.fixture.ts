import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

/** One line of a scrape. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scraped {
  readonly meterProvider: MeterProvider;
  /** Returns what Prometheus would get now: `text` as one text, `series` line by line. */
  readonly text: () => Promise<string>;
  readonly series: () => Promise<readonly Series[]>;
  /** Returns the sum of all series of a name with these labels. */
  readonly sum: (name: string, labels?: Readonly<Record<string, string>>) => Promise<number>;
  readonly close: () => Promise<void>;
}

/** Starts the real SDK with its Prometheus exporter, but without a port. */
export function scraped(): Scraped {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer(undefined, false, undefined, true);
  const meterProvider = new MeterProvider({ readers: [exporter] });

  const text = async () => serializer.serialize((await exporter.collect()).resourceMetrics);
  const series = async () => (await text()).split('\n').flatMap(seriesOf);

  return {
    meterProvider,
    text,
    series,
    async sum(name, labels = {}) {
      const found = (await series()).filter(
        (one) =>
          one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
      );
      return found.reduce((sum, { value }) => sum + value, 0);
    },
    close: () => meterProvider.shutdown(),
  };
}

function seriesOf(line: string): readonly Series[] {
  const parts = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line);
  if (parts === null) return [];
  const [, name = '', labels = '', value = ''] = parts;
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
    key,
    text,
  ]);
  return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
}
