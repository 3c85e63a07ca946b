import { request } from 'undici';
import { BASE_FEATURES } from '../contract/conversation.fixture.js';

export { BASE_FEATURES };

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export interface Asked {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. It is sent as JSON unless it is text. */
  readonly body?: unknown;
}

/** Sends one request over a real socket. `where` is a method and a path, such as `GET /health`. */
export async function ask(url: string, where: string, asked: Asked = {}): Promise<Answer> {
  const [method = '', path = ''] = where.split(' ');
  const { token, headers, body } = asked;
  const sent = new Headers({
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...headers,
  });
  // This does not use `fetch`, which takes three times as long.
  const response = await request(url + path, {
    method,
    headers: Object.fromEntries(sent),
    body: typeof body === 'string' ? body : body === undefined ? null : JSON.stringify(body),
  });
  return {
    status: response.statusCode,
    body: (await response.body.json()) as Record<string, unknown>,
    headers: new Headers(response.headers as Record<string, string>),
  };
}

/** Returns the answers to a batch. Of each, it returns the one member that is present. */
export async function evaluate(
  url: string,
  requests: readonly unknown[],
): Promise<readonly Record<string, unknown>[]> {
  const { status, body } = await ask(url, 'POST /evaluate/v1/batch', { body: { requests } });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return (body.responses as Record<string, Record<string, unknown>>[]).map(
    ({ variantResponse, booleanResponse, errorResponse }) =>
      variantResponse ?? booleanResponse ?? errorResponse ?? {},
  );
}

/** Makes a stamp that gives the same dates and ids each time. */
export function fixedStamp(): { date: () => number; id: () => string } {
  let count = 0;
  return { date: () => Date.parse('2024-01-01T00:00:00Z'), id: () => `id-${++count}` };
}
