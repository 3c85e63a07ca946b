import { readFileSync } from 'node:fs';

/** A step of a recorded conversation with the service. */
export interface Step {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly body?: unknown;
  readonly rawBody?: string;
  readonly note?: string;
  readonly capture?: Readonly<Record<string, string>>;
  readonly expect: { readonly status: number; readonly body: unknown };
}

export interface Played {
  readonly title: string;
  readonly expected: unknown;
  readonly answered: unknown;
}

const FOLDER = new URL('../recordings/service/', import.meta.url);

export const BASE_FEATURES = new URL('base.features.yml', FOLDER);

export function conversation(name: string): readonly Step[] {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Step[];
}

export const RECORDED_BOOTSTRAP_TOKEN = 's3cret-bootstrap';

export interface PlayOptions {
  /** The token that the service accepts as the recorded bootstrap token. */
  readonly bootstrapToken?: string;
  /** The token for every step that names none. */
  readonly token?: string | undefined;
}

/** Sends the steps in order to a service. Returns the recorded and the real answer of each in comparable form. */
export async function play(
  url: string,
  steps: readonly Step[],
  { bootstrapToken = RECORDED_BOOTSTRAP_TOKEN, token }: PlayOptions = {},
): Promise<readonly Played[]> {
  const captured = new Map<string, string>();
  const fill = (text: string): string =>
    text
      .replace(/\$\{(\w+)\}/g, (_, name: string) => captured.get(name) ?? '')
      .replaceAll(RECORDED_BOOTSTRAP_TOKEN, bootstrapToken);
  const played: Played[] = [];
  for (const step of steps) {
    const bearer = step.token ?? token;
    const headers = {
      'Content-Type': 'application/json',
      ...(bearer !== undefined && { Authorization: `Bearer ${fill(bearer)}` }),
      ...Object.fromEntries(Object.entries(step.headers ?? {}).map(([name, value]) => [name, fill(value)])),
    };
    const body = step.rawBody ?? (step.body === undefined ? undefined : fill(JSON.stringify(step.body)));
    const response = await fetch(`${url}${fill(step.path)}`, {
      method: step.method,
      headers,
      ...(body !== undefined && { body }),
    });
    const answer: unknown = await response.json();
    for (const [name, path] of Object.entries(step.capture ?? {}))
      captured.set(name, String(at(answer, path)));
    const { status, body: expected } = step.expect;
    played.push({
      title: `${step.method} ${step.path}${step.note === undefined ? '' : ` (${step.note})`}`,
      expected: { status, body: comparable(expected, expected) },
      answered: { status: response.status, body: comparable(answer, expected) },
    });
  }
  return played;
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>(memberOf, value);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const PLACEHOLDERS = ['<id>', '<timestamp>', '<duration>', '<token>', '<page>', '<any>'];

/**
 * Makes answers comparable. Segment keys are a set, and a value that differs from run to run becomes its recorded
 * placeholder.
 */
function comparable(value: unknown, expected: unknown, name = ''): unknown {
  if (typeof expected === 'string' && PLACEHOLDERS.includes(expected)) {
    return fits(value, expected) ? expected : value;
  }
  if (Array.isArray(value)) {
    const list = value.map((member, index) => comparable(member, memberOf(expected, String(index))));
    return name === 'segmentKeys' ? list.map(String).sort() : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => {
        return [key, comparable(member, memberOf(expected, key), key)] as const;
      })
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

function fits(value: unknown, placeholder: string): boolean {
  if (value === placeholder) return true;
  switch (placeholder) {
    case '<duration>':
      return typeof value === 'number' && value >= 0;
    case '<timestamp>':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value));
    case '<id>':
      return typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
    case '<token>':
      return typeof value === 'string' && /^[-_A-Za-z0-9]{43}=$/.test(value);
    default:
      return typeof value === 'string' && value !== '';
  }
}
