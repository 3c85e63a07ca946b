import { randomUUID } from 'node:crypto';
import type { Semantics } from '../engine/features.js';
import { type Authenticate, withoutAuthentication, withTokens } from './authentication.js';
import { readFeatures, type FeaturesSource } from './features-file.js';
import { withFlag } from './flag-change.js';
import { createHandler } from './handler.js';
import { importFeatures } from './import-features.js';
import { listen, type Listener } from './listener.js';
import type { NamespaceRecord, Stamp } from './records.js';
import { Store } from './store.js';

/** What {@link startLocalService} may be told. */
export interface LocalServiceOptions {
  /**
   * What the service holds at first: the path of a features file, YAML or JSON text, or documents as objects.
   * A string with a line break in it, or one that begins with `{`, is text; any other string is a path.
   */
  readonly features: FeaturesSource;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The address to listen on; default `127.0.0.1`, which only this machine reaches. */
  readonly host?: string;
  /** Whose rules of evaluation apply; default `v1`. Flipt v2 serves evaluation only, and so does this with `v2`. */
  readonly semantics?: Semantics;
  /** The first token. If it is given, requests are answered only with it or a token made with it. Default: none. */
  readonly bootstrapToken?: string;
}

/** A running service. It can be used with `await using` where the runtime has it. */
export interface LocalService extends AsyncDisposable {
  /** Its base address, as `http://127.0.0.1:49152`. */
  readonly url: string;
  /** HTTP requests that have come so far. */
  readonly requests: number;
  /**
   * Switches a flag; the next evaluation sees it.
   * Rejects with an Error where there is no such flag, or the data file cannot be written.
   */
  setFlag(namespace: string, key: string, state: { readonly enabled: boolean }): Promise<void>;
  /**
   * Replaces the features of all namespaces; tokens stay. Rejects with a {@link FeaturesError} where the new ones
   * are wrong: then the old ones stay.
   */
  load(features: FeaturesSource): Promise<void>;
  /** Takes no more requests, finishes those in flight and ends all connections. May be called again. */
  close(): Promise<void>;
}

const MEGABYTE = 1024 * 1024;

/**
 * Starts a service that answers as Flipt does, in this process: for development, tests and demonstrations.
 * Rejects with a {@link FeaturesError} where the features are wrong, or with node's error where the port is taken.
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  const { semantics = 'v1', bootstrapToken } = options;
  const stamp: Stamp = { date: Date.now, id: randomUUID };
  const read = async (source: FeaturesSource): Promise<ReadonlyMap<string, NamespaceRecord>> =>
    importFeatures(await readFeatures(source), semantics, stamp);

  const store = new Store({ namespaces: await read(options.features), tokens: new Map() });
  const authenticate: Authenticate =
    bootstrapToken === undefined ? withoutAuthentication : withTokens(bootstrapToken);
  const handler = createHandler({
    service: { store, semantics, stamp },
    authenticate,
    maxBodyBytes: 16 * MEGABYTE,
  });
  const listener = await listen(handler, {
    port: options.port ?? 0,
    host: options.host ?? '127.0.0.1',
    headersTimeoutMs: 10_000,
    requestTimeoutMs: 30_000,
    closeTimeoutMs: 5_000,
  });
  return localService(listener, store, read);
}

function localService(
  listener: Listener,
  store: Store,
  read: (source: FeaturesSource) => Promise<ReadonlyMap<string, NamespaceRecord>>,
): LocalService {
  const close = async (): Promise<void> => {
    await listener.close();
    await store.settled();
  };
  return {
    url: listener.url,
    get requests() {
      return listener.requests;
    },
    async setFlag(namespaceKey, key, { enabled }) {
      await store.change((state) => {
        const namespace = state.namespaces.get(namespaceKey);
        const flag = namespace?.flags.get(key);
        if (!namespace || !flag) throw new Error(`flag "${namespaceKey}/${key}" not found`);
        return { state: withFlag(state, namespace, { ...flag, enabled }), result: undefined };
      });
    },
    async load(features) {
      const namespaces = await read(features);
      await store.change((state) => ({ state: { ...state, namespaces }, result: undefined }));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
