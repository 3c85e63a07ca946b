import { describe, expect, it } from 'vitest';
import { FliptClient, FliptServiceError } from '../../src/client/index.js';
import { startLocalService } from '../../src/local/index.js';
import {
  BASE_FEATURES,
  conversation,
  RECORDED_BOOTSTRAP_TOKEN,
  type Step,
} from '../contract/conversation.fixture.js';
import { PATIENT } from '../eventually.fixture.js';
import { clientCall, pattern } from './conversation.fixture.js';

/** The other steps have no call in the client: bodies that are not JSON, foreign routes, schemes and methods. */
const CONVERSATIONS = [
  { name: 'batch', steps: 22, unsayable: 4 },
  { name: 'variants', steps: 24, unsayable: 0 },
  { name: 'segments', steps: 52, unsayable: 8 },
  { name: 'rules', steps: 31, unsayable: 0 },
  { name: 'tokens', steps: 33, unsayable: 5 },
];

const CODES: Readonly<Record<number, string>> = {
  3: 'INVALID_ARGUMENT',
  5: 'NOT_FOUND',
  12: 'UNIMPLEMENTED',
  16: 'UNAUTHENTICATED',
};

describe('the typed client sees what was recorded', () => {
  it.each(CONVERSATIONS)(
    '$name: all of $steps steps but those it has no words for ($unsayable)',
    async ({ name, steps, unsayable }) => {
      const service = await startLocalService({
        features: BASE_FEATURES,
        ...(name === 'tokens' && { bootstrapToken: RECORDED_BOOTSTRAP_TOKEN }),
      });
      try {
        const recorded = conversation(name);
        expect(recorded).toHaveLength(steps);
        expect(recorded.filter((step) => clientCall(step) === undefined)).toHaveLength(unsayable);
        await play(service.url, recorded);
      } finally {
        await service.close();
      }
    },
  );
});

async function play(url: string, steps: readonly Step[]): Promise<void> {
  const captured = new Map<string, string>();
  const filled = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value).replace(/\$\{(\w+)\}/g, (_, name: string) => captured.get(name) ?? ''),
    ) as T;
  for (const unfilled of steps) {
    const step = filled(unfilled);
    const call = clientCall(step);
    if (call === undefined) {
      await send(url, step);
      continue;
    }
    const client = new FliptClient({
      url,
      http: PATIENT.http,
      ...(step.token !== undefined && { auth: { token: step.token } }),
    });
    const title = `${step.method} ${step.path} ${step.note ?? ''}`;
    const outcome = await call(client).catch((error: unknown) => error);
    await client.close();
    expect(sorted(outcome), title).toEqual(expected(step));
    for (const [name, path] of Object.entries(step.capture ?? {})) captured.set(name, at(outcome, path));
  }
}

/** A step without a call may still change what the service holds. */
async function send(url: string, { method, path, body, rawBody, headers }: Step): Promise<void> {
  const text = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
  // The embedded service refuses changes with another content type, but Flipt does not.
  const sent = new Headers(headers);
  sent.set('content-type', 'application/json');
  await fetch(url + path, {
    method,
    headers: sent,
    ...(text !== undefined && { body: text }),
  });
}

function expected({ expect: { status, body } }: Step): unknown {
  if (status === 200) return pattern(body);
  const { code, message, details } = body as { code: number; message: string; details: unknown[] };
  return expect.objectContaining({
    name: 'FliptServiceError',
    status,
    code: CODES[code],
    message: pattern(message),
    details,
  });
}

/** `segmentKeys` is a set. */
function sorted(outcome: unknown): unknown {
  if (outcome instanceof FliptServiceError) {
    const { name, status, code, details } = outcome;
    return { name, status, code, details, message: wordsOf(outcome) };
  }
  return JSON.parse(JSON.stringify(outcome), (name, value: unknown) =>
    name === 'segmentKeys' && Array.isArray(value) ? value.map(String).sort() : value,
  );
}

/** The service's own message, without the request before it and the advice after it. */
function wordsOf({ message, status }: FliptServiceError): string {
  const words = / answered (\d+): (.*?)(?: \(check .*\)|; check .*|; no credentials .*)?$/s.exec(message);
  expect(words?.[1]).toBe(String(status));
  return words?.[2] ?? message;
}

function at(value: unknown, path: string): string {
  return String(
    path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value),
  );
}
