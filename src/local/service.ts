import { randomUUID } from 'node:crypto';
import { messageOf, quoted } from '../base/text/describe.js';
import { evaluator } from '../engine/compile.js';
import type { Semantics } from '../engine/features.js';
import { DEFAULT_SEMANTICS } from '../engine/version-differences.js';
import { summaryOf } from '../features/problem.js';
import { readFeatures, type FeaturesSource } from '../features/read-features.js';
import { checkOptions } from '../options/check-options.js';
import { FLAG_STATE, LOCAL_OPTIONS, OVERRIDE_OPTIONS } from './options.js';
import type { LocalServiceOptions, OverrideOptions } from './options.js';
import { Overrides, type OverrideValue } from './overrides.js';
import { serve } from './server.js';
import { DataFileError, nowText, save, stateIn, Store, withFlag, type State } from './store.js';

/**
 * A running embedded service, closed at the end of an `await using` block. A request's body may have 16 MB and
 * 500,000 values, and a batch 50,000 items; headers must arrive within 10 s, and a whole request within 30 s.
 */
export interface LocalService extends AsyncDisposable {
  /** Such as `http://127.0.0.1:49152`. */
  readonly url: string;
  /** HTTP requests that have been received. */
  readonly requests: number;
  /**
   * Overrides a flag, whatever its rules say, from the next evaluation and snapshot on until {@link LocalService.reset}.
   * A value for one entity wins over one for all. The value is never saved, and has no effect while the flag cannot give
   * it. A boolean flag takes `true` or `false`, a variant flag the key of a variant, or a number, boolean or object if
   * one of its variants has a key or an attachment of that type. Anything else is a TypeError that says what is possible.
   *
   * @example
   * ```ts
   * import { startLocalService } from 'openfeature-flipt-provider/local';
   *
   * const service = await startLocalService({ features: 'features.yml' });
   * service.set('new-checkout', true);
   * service.set('banner', 'red', { for: 'user-7' });
   * service.reset();
   * ```
   */
  set(key: string, value: OverrideValue, options?: OverrideOptions): void;
  /** Also overrides that were set over HTTP. */
  reset(): void;
  /**
   * Changes the flag itself, also in the data file; {@link LocalService.reset} does not undo it. As in Flipt, it does
   * not switch off a boolean flag whose rollouts apply: to give a flag a value in a test, use {@link
   * LocalService.set}.
   */
  setFlag(namespace: string, key: string, state: { readonly enabled: boolean }): Promise<void>;
  /**
   * Replaces the features of all namespaces; tokens and overrides stay. With wrong features, rejects with a {@link
   * FeaturesError}, and the old ones stay.
   */
  load(features: FeaturesSource): Promise<void>;
  /** Ends all streams, waits up to 1.5 s for the other requests, and ends all connections. */
  close(): Promise<void>;
}

/**
 * Starts a service in this process that answers as Flipt does, for development, tests and demonstrations. Rejects with a
 * TypeError about an option, a {@link FeaturesError} about the features, a {@link DataFileError} about the data file, or
 * Node's error about the port, such as code `EADDRINUSE`.
 *
 * @example
 * ```ts
 * import { startLocalService } from 'openfeature-flipt-provider/local';
 *
 * const service = await startLocalService({
 *   features: { flags: [{ key: 'new-checkout', type: 'BOOLEAN_FLAG_TYPE', enabled: true }] },
 * });
 * console.log(service.url);
 * await service.close();
 * ```
 */
export async function startLocalService(options: LocalServiceOptions): Promise<LocalService> {
  return openLocalService(options, (refused) => {
    process.emitWarning(refused, { type: 'FliptWarning', code: 'FLIPT_REFUSES' });
  });
}

/** `warn` is told what Flipt would refuse, unless the service is strict. */
export async function openLocalService(
  options: LocalServiceOptions,
  warn: (refused: string) => void,
): Promise<LocalService> {
  checkOptions(LOCAL_OPTIONS, options);
  const { semantics = DEFAULT_SEMANTICS, strict = false, data } = options;
  const { port = 0, host = '127.0.0.1', allowHosts = [], bootstrapToken } = options;
  let refused = '';

  const load = async (
    features: FeaturesSource,
    store: (namespaces: State['namespaces']) => Promise<unknown>,
  ) => {
    const read = await readLoaded(features, semantics, strict);
    if (read.refused !== '') warn(read.refused);
    await store(read.namespaces);
    refused = read.refused;
  };

  const start = async (): Promise<State> => {
    const saved = data === undefined ? undefined : await stateIn(data);
    if (saved) return saved;
    if (options.features === undefined) throw noFeatures(data);
    let state: State = { namespaces: new Map(), tokens: new Map() };
    await load(options.features, async (namespaces) => {
      state = { ...state, namespaces };
      // Before the first request, so that all ids survive a restart.
      if (data !== undefined) await save(data, state).catch(notWritable(data));
    });
    return state;
  };

  const store = new Store(await start(), data);
  const overrides = new Overrides(store);
  const server = await serve(
    {
      semantics,
      store,
      overrides,
      evaluate: evaluator(semantics),
      snapshots: new WeakMap(),
      get refused() {
        return refused;
      },
    },
    { port, host, allowHosts, bootstrapToken },
  );
  const close = async () => {
    await server.close();
    await store.settled();
  };
  return {
    url: server.url,
    get requests() {
      return server.requests();
    },
    set(flagKey, value, given = {}) {
      checkOptions(OVERRIDE_OPTIONS, given);
      try {
        overrides.set({ namespaceKey: given.namespace ?? 'default', flagKey, entity: given.for }, value);
      } catch (error) {
        throw new TypeError(`set: ${messageOf(error)}`, { cause: error });
      }
    },
    reset() {
      overrides.reset();
    },
    async setFlag(namespaceKey, key, given) {
      checkOptions(FLAG_STATE, given);
      const { enabled } = given;
      await store.change((state) => {
        const namespace = state.namespaces.get(namespaceKey);
        const flag = namespace?.flags.get(key);
        if (!namespace || !flag) throw new Error(`flag ${quoted(`${namespaceKey}/${key}`)} not found`);
        return {
          state: withFlag(state, namespace, { ...flag, enabled, updatedAt: nowText() }),
          result: undefined,
        };
      });
    },
    async load(features) {
      await load(features, (namespaces) =>
        store.change((state) => ({ state: { ...state, namespaces }, result: undefined })),
      );
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readLoaded(features: FeaturesSource, semantics: Semantics, strict: boolean) {
  const stamp = { date: Date.now, id: randomUUID };
  const { namespaces, problems } = await readFeatures(features, semantics, { strict, stamp });
  return { namespaces, refused: summaryOf(problems) ?? '' };
}

function noFeatures(data: string | undefined): Error {
  return data === undefined
    ? new TypeError('startLocalService: features: missing; expected a path, YAML text or documents')
    : new DataFileError(`${data}: does not exist yet, so features are needed to start with`);
}

const notWritable = (data: string) => (error: unknown) => {
  const cause = (error instanceof Error && error.cause) || error;
  throw new DataFileError(`${data}: cannot be written: ${messageOf(cause)}`, { cause });
};
