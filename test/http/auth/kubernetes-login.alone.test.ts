import { ProviderStatus, OpenFeature } from '@openfeature/server-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { FliptClient, FliptServiceError } from '../../../src/client/index.js';
import { FliptProvider, type Logger } from '../../../src/index.js';
import { answering, answerJson, item, orMissing, type Script } from '../../servers/scripted.fixture.js';
import { loggedIn, POD_TOKEN, podToken, withLogin } from './kubernetes.fixture.js';
import { PATIENT } from '../../eventually.fixture.js';

afterEach(() => OpenFeature.close());

const answered =
  (body: unknown, status = 200): Script =>
  (_, response) => {
    answerJson(response, body, status);
  };

const authorizations = ({ requests }: { readonly requests: readonly { readonly headers: object }[] }) =>
  requests.map(({ headers }) => Reflect.get(headers, 'authorization') as unknown);

/** The outcome of a read with the typed client, after a login. */
async function reading(logIn: Script) {
  await using pod = await podToken();
  await using server = await withLogin(logIn);
  await using client = new FliptClient({
    url: server.url,
    auth: { kubernetes: { tokenPath: pod.path } },
    http: { ...PATIENT.http, retries: 0 },
  });
  const outcome = await client.segments.list('default').catch((error: unknown) => error);
  return { outcome, requests: server.requests };
}

async function failure(logIn: Script) {
  const { outcome, requests } = await reading(logIn);
  if (!(outcome instanceof FliptServiceError)) throw new Error('it did not fail');
  expect(requests).toHaveLength(1);
  expect(JSON.stringify(outcome)).not.toContain(POD_TOKEN);
  return outcome.message;
}

describe('a login with a service account token', () => {
  it.each([
    [
      'a client token, as Flipt v1 gives it, is sent as Bearer',
      'dummy-client-token',
      'Bearer dummy-client-token',
    ],
    ['the token itself, as Flipt v2 gives it back, is sent as JWT', POD_TOKEN, `JWT ${POD_TOKEN}`],
  ])('%s', async (_, clientToken, expected) => {
    const { outcome, requests } = await reading(answered(loggedIn(clientToken)));
    expect(outcome).toMatchObject({ segments: [] });
    expect(authorizations({ requests })).toEqual([undefined, expected]);
    expect(requests[0]).toMatchObject({
      method: 'POST',
      body: JSON.stringify({ serviceAccountToken: POD_TOKEN }),
    });
  });

  it.each<[string, Script, RegExp]>([
    [
      'rejected',
      answered({ code: 16, message: `no: ${POD_TOKEN}`, details: [] }, 401),
      /the Kubernetes login failed: Flipt at .* answered 401: no: \[credential\]; check the option auth/,
    ],
    [
      'not offered',
      answered({ code: 5, message: 'Not Found' }, 404),
      /login failed: .*answered 404: Not Found/,
    ],
    ['failing', answered({}, 500), /login failed: .*answered 500/],
    ['unreadable', answered(POD_TOKEN), /login failed: Flipt at .* returned no usable login/],
    ['without a token', answered({ authentication: {} }), /returned no usable login/],
    ['a token of two lines', answered(loggedIn('a\nb')), /returned no usable login/],
    ['of an unreadable end', answered(loggedIn('dummy-token', 'soon')), /returned no usable login/],
    ['cut off', (_, response) => response.destroy(), /login failed: the request to Flipt at .* failed: /],
  ])('that is %s fails the request, and shows no token', async (_, logIn, message) => {
    expect(await failure(logIn)).toMatch(message);
  });

  it.each([
    ['missing', '/nonexistent/token', /auth\.kubernetes .* cannot be read \(ENOENT\)/],
    [
      'no file',
      '/',
      /auth\.kubernetes \/ cannot be read \(it is a folder, a pipe or a device; expected a file\)/,
    ],
  ])('of a file that is %s sends nothing', async (_, tokenPath, message) => {
    await using server = await withLogin(answered({}));
    await using client = new FliptClient({
      url: server.url,
      auth: { kubernetes: { tokenPath } },
      http: PATIENT.http,
    });
    await expect(client.segments.list('default')).rejects.toThrow(message);
    expect(server.requests).toEqual([]);
  });

  it('of an empty file sends nothing', async () => {
    await using pod = await podToken(' \n');
    await using server = await withLogin(answered({}));
    await using client = new FliptClient({
      url: server.url,
      auth: { kubernetes: { tokenPath: pod.path } },
      http: PATIENT.http,
    });
    await expect(client.segments.list('default')).rejects.toThrow(/auth\.kubernetes .* is empty/);
    expect(server.requests).toEqual([]);
  });
});

/** A dispatcher that never answers; `asked` has the signal of its first request. */
function hanging() {
  let askedWith: (signal: unknown) => void = () => undefined;
  const asked = new Promise((resolve) => {
    askedWith = resolve;
  });
  const dispatcher = {
    request({ signal }: { readonly signal: AbortSignal }) {
      askedWith(signal);
      return new Promise<never>(() => undefined);
    },
  };
  return { dispatcher, asked };
}

describe('a typed client in a pod', () => {
  it('ends a login on close, even with a dispatcher of the user’s own', async () => {
    await using pod = await podToken();
    const { dispatcher, asked } = hanging();
    const client = new FliptClient({
      auth: { kubernetes: { tokenPath: pod.path } },
      http: { ...PATIENT.http, dispatcher },
    });
    const reading = expect(client.segments.list('default')).rejects.toThrow('closed');
    const signal = await asked;
    await client.close();
    expect(signal).toMatchObject({ aborted: true });
    await reading;
  });
});

describe('a provider in a pod', () => {
  const QUIET: Logger = {
    error: () => undefined,
    warn: () => undefined,
    info: () => undefined,
    debug: () => undefined,
  };
  const evaluations = answering(orMissing(({ flagKey }) => item.boolean(flagKey)));

  it('resolves after one login, however many ask', async () => {
    await using pod = await podToken();
    await using server = await withLogin(answered(loggedIn('dummy-client-token')), evaluations);
    const auth = { kubernetes: { tokenPath: pod.path } };
    const provider = new FliptProvider({ url: server.url, auth, ...PATIENT });
    await OpenFeature.setProviderAndWait(provider);
    const client = OpenFeature.getClient();
    const users = Array.from({ length: 100 }, (_, user) => client.getBooleanValue('on', false, { user }));
    expect(new Set(await Promise.all(users))).toEqual(new Set([true]));
    expect(server.logins()).toBe(1);
    expect(new Set(authorizations(server))).toEqual(new Set([undefined, 'Bearer dummy-client-token']));
  });

  it('ends a login on close, even with a dispatcher of the user’s own', async () => {
    await using pod = await podToken();
    const { dispatcher, asked } = hanging();
    const provider = new FliptProvider({
      ...PATIENT,
      auth: { kubernetes: { tokenPath: pod.path } },
      http: { ...PATIENT.http, dispatcher },
      logger: QUIET,
    });
    const start = expect(provider.initialize()).rejects.toThrow('closed');
    const signal = await asked;
    await provider.onClose();
    expect(signal).toMatchObject({ aborted: true });
    await start;
  });

  it('has a start that is fatal if the login is rejected, and an error if Flipt is down', async () => {
    await using pod = await podToken();
    const auth = { kubernetes: { tokenPath: pod.path } };
    const server = await withLogin(answered({ code: 16, message: 'no', details: [] }, 401), evaluations);
    const rejected = new FliptProvider({ url: server.url, auth, logger: QUIET, ...PATIENT });
    await expect(OpenFeature.setProviderAndWait(rejected)).rejects.toThrow(/Kubernetes login failed.*401/);
    expect(OpenFeature.getClient().providerStatus).toBe(ProviderStatus.FATAL);
    await server.close();
    const down = new FliptProvider({ url: server.url, auth, logger: QUIET, initTimeoutMs: 1 });
    await expect(OpenFeature.setProviderAndWait('down', down)).rejects.toThrow();
    expect(OpenFeature.getClient('down').providerStatus).toBe(ProviderStatus.ERROR);
  });
});
