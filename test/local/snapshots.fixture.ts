const PATH = '/internal/v1/evaluation/snapshot/namespace';

export const VERSION = { 'X-Flipt-Accept-Server-Version': '1.61.1' };

export interface Snapshot {
  readonly status: number;
  readonly etag: string | null;
  /** The body; `undefined` if the answer has none. */
  readonly body: SnapshotBody | undefined;
}

export interface SnapshotBody {
  readonly namespace: { readonly key: string };
  readonly flags: readonly Readonly<Record<string, unknown>>[];
  readonly digest?: string;
}

export async function snapshot(
  url: string,
  namespace = 'default',
  headers: Readonly<Record<string, string>> = VERSION,
): Promise<Snapshot> {
  const response = await fetch(`${url}${PATH}/${namespace}`, { headers });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get('etag'),
    body: text === '' ? undefined : (JSON.parse(text) as SnapshotBody),
  };
}

/** Gives two snapshots the same form if they differ only in ids, times, orders, or JSON in texts. */
export function comparable(value: unknown, name = ''): unknown {
  if (['id', 'ruleId', 'variantId', 'digest'].includes(name)) return typeof value;
  if (['createdAt', 'updatedAt'].includes(name)) return Number.isNaN(Date.parse(String(value)));
  if (['attachment', 'variantAttachment'].includes(name))
    return value === '' ? '' : JSON.parse(String(value));
  if (Array.isArray(value)) {
    const list = value.map((member: unknown) => comparable(member));
    return UNORDERED.includes(name)
      ? list.sort((left, right) => (textOf(left) < textOf(right) ? -1 : 1))
      : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, comparable(member, key)]));
}

/** v1 also changes the order of a segment's constraints if they were created at the same instant. */
const UNORDERED = ['segments', 'constraints'];

const textOf = (value: unknown): string => JSON.stringify(value);
