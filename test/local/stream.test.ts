import { describe, expect, it, vi } from 'vitest';
import type { FeaturesDocument } from '../../src/local/index.js';
import { ask } from './requests.fixture.js';
import { useServices } from './running.fixture.js';
import { snapshot } from './snapshots.fixture.js';
import { eventually } from '../eventually.fixture.js';

const start = useServices();
const features: FeaturesDocument = { flags: [{ key: 'banner' }] };
const STREAM = '/client/v2/environments/default/namespaces/default/stream';
const ACCEPT = { Accept: 'text/event-stream' };

interface Stream {
  readonly response: Response;
  /** The next event, or undefined at the end of the stream. */
  readonly next: () => Promise<string | undefined>;
  readonly end: () => void;
}

async function open(url: string, path = STREAM, accept = ACCEPT.Accept): Promise<Stream> {
  const leaving = new AbortController();
  const response = await fetch(`${url}${path}`, { headers: { Accept: accept }, signal: leaving.signal });
  const events = eventsOf(response, accept === ACCEPT.Accept ? '\n\n' : '\n');
  return {
    response,
    next: async () => (await events.next()).value ?? undefined,
    end: () => {
      leaving.abort();
    },
  };
}

async function* eventsOf(response: Response, end: string): AsyncGenerator<string, undefined> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const events = text.split(end);
    text = events.pop() ?? '';
    yield* events;
  }
  return undefined;
}

const etagIn = (event: string | undefined): unknown =>
  (JSON.parse(/^data: (.*)$/m.exec(event ?? '')?.[1] ?? '{}') as { etag?: unknown }).etag;

describe('the stream of v2 for clients that do not ask for events', () => {
  it.each(['application/json', '*/*', 'text/event-stream, */*'])(
    'has a line with the whole snapshot at the start, and for each change: Accept: %s',
    async (accept) => {
      const service = await start({ features, semantics: 'v2' });
      const { response, next, end } = await open(service.url, STREAM, accept);
      expect(response.headers.get('content-type')).toBe('application/json');
      const line = async (): Promise<unknown> => JSON.parse((await next()) ?? '');
      const { body } = await snapshot(service.url);
      expect(body?.flags).toHaveLength(1);
      expect(await line()).toEqual({ result: body });
      await service.setFlag('default', 'banner', { enabled: true });
      const changed = await line();
      expect(changed).toEqual({ result: (await snapshot(service.url)).body });
      expect(changed).toMatchObject({ result: { flags: [{ key: 'banner', enabled: true }] } });
      await service.load(features);
      expect(await line()).toEqual({ result: (await snapshot(service.url)).body });
      end();
    },
  );

  it('begins with the next change if the client names the current digest', async () => {
    const service = await start({ features, semantics: 'v2' });
    const { etag } = await snapshot(service.url);
    const opening = open(service.url, `${STREAM}?digest=${String(etag)}`, 'application/json');
    await eventually(() => {
      expect(service.requests).toBe(2);
    });
    await service.setFlag('default', 'banner', { enabled: true });
    const { next, end } = await opening;
    expect(JSON.parse((await next()) ?? '')).toEqual({ result: (await snapshot(service.url)).body });
    end();
  });
});

describe('the stream of v2', () => {
  it('begins with the current digest, and has an event for each new one', async () => {
    const service = await start({ features, semantics: 'v2' });
    const { response, next, end } = await open(service.url);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const { etag } = await snapshot(service.url);
    expect(await next()).toMatch(
      new RegExp(`^id: \\w{9}\\ndata: \\{"etag":"${String(etag)}","type":"refetchEvaluation"\\}$`),
    );
    await service.setFlag('default', 'banner', { enabled: true });
    const event = await next();
    expect(etagIn(event)).not.toBe(etag);
    expect(etagIn(event)).toBe((await snapshot(service.url)).etag);
    // Evaluation reads nothing of this change, so the next event is about the change after it.
    await service.setFlag('default', 'banner', { enabled: true });
    await service.load(features);
    expect(etagIn(await next())).toBe(etag);
    end();
  });

  it('sends nothing, not even headers, while the namespace does not exist', async () => {
    const service = await start({ features, semantics: 'v2' });
    let opened = false;
    const opening = open(service.url, STREAM.replace('namespaces/default', 'namespaces/team'));
    void opening.then(() => (opened = true));
    await snapshot(service.url);
    await service.setFlag('default', 'banner', { enabled: true });
    await snapshot(service.url);
    expect(opened).toBe(false);
    await service.load({ ...features, namespace: 'team' });
    const { next, end } = await opening;
    expect(etagIn(await next())).toBe((await snapshot(service.url, 'team')).etag);
    end();
  });

  it('sends nothing to a client that names the current digest, until it changes', async () => {
    const service = await start({ features, semantics: 'v2' });
    const { etag } = await snapshot(service.url);
    let opened = false;
    const opening = open(service.url, `${STREAM}?digest=${String(etag)}`);
    void opening.then(() => (opened = true));
    await snapshot(service.url);
    expect(opened).toBe(false);
    // A change before the request has arrived would only be its first event.
    await eventually(() => {
      expect(service.requests).toBe(3);
    });
    await service.setFlag('default', 'banner', { enabled: true });
    const { next, end } = await opening;
    expect(etagIn(await next())).toBe((await snapshot(service.url)).etag);
    end();
  });

  it('ends when the service is closed', async () => {
    const service = await start({ features, semantics: 'v2' });
    const { next } = await open(service.url);
    await next();
    const ended = expect(next()).rejects.toThrow('terminated');
    await service.close();
    await ended;
  });

  it('is no leak if many clients follow it', async () => {
    const warned = vi.fn<(warning: Error) => void>();
    process.on('warning', warned);
    const service = await start({ features, semantics: 'v2' });
    const streams = await Promise.all(Array.from({ length: 11 }, async () => open(service.url)));
    for (const { end } of streams) end();
    process.off('warning', warned);
    expect(warned.mock.calls.filter(([{ name }]) => name === 'MaxListenersExceededWarning')).toEqual([]);
  });

  it('is refused if the environment is unknown, or the digest is none', async () => {
    const { url } = await start({ features, semantics: 'v2' });
    const headers = { ...ACCEPT, 'X-Flipt-Environment': 'production' };
    expect(await ask(url, `GET ${STREAM}`, { headers })).toMatchObject({ status: 404 });
    for (const accept of ['text/event-stream', 'application/json']) {
      expect(await ask(url, `GET ${STREAM}?digest=abc`, { headers: { Accept: accept } })).toMatchObject({
        status: 400,
        body: { code: 3, message: 'invalid field digest: must be a 40-character string' },
      });
    }
  });

  it('needs a token if tokens are required', async () => {
    const { url } = await start({ features, semantics: 'v2', bootstrapToken: 'dummy-bootstrap' });
    expect(await ask(url, `GET ${STREAM}`, { headers: ACCEPT })).toMatchObject({ status: 401 });
  });

  it('is not served by v1', async () => {
    const { url } = await start({ features });
    expect(await ask(url, `GET ${STREAM}`, { headers: ACCEPT })).toMatchObject({ status: 404 });
  });
});
