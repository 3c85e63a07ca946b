import { randomUUID } from 'node:crypto';
import type { Semantics } from '../engine/features.js';
import { DEFAULT_SEMANTICS } from '../engine/version-differences.js';
import { serviceCore } from './operations/operation.js';
import { withoutAuthentication, withTokens } from './operations/authentication.js';
import { DataFileError, openDataFile } from './state/data-file.js';
import { namespacesOf } from '../features/checked-documents.js';
import { isWritten, readDocuments, type FeaturesSource } from '../features/read-features.js';
import { refusalSummary, throwIfRefused } from '../features/refusal-words.js';
import { withFlag, withNamespaces, type State } from './state/state.js';
import { createHandler } from './http/handler.js';
import { listen, TIMEOUTS } from './http/listener.js';
import { checkOptions } from '../options/check-options.js';
import { systemClock } from '../base/time/clock.js';
import { CLOSE_MS, inTime, orLate } from '../base/time/in-time.js';
import { messageOf, quoted } from '../base/text/describe.js';
import { FLAG_STATE, LOCAL_OPTIONS, OVERRIDE_OPTIONS } from './local-options.js';
import type { LocalServiceOptions, OverrideOptions } from './local-options.js';
import { nowText, type Stamp } from '../features/records.js';
import type { OverrideValue } from './state/override-value.js';
import { Store } from './state/state-store.js';

/**
 * A running embedded service. With `await using`, the service is closed at the end of the block; closing takes at most
 * 2 s. A request's body can have at most 16 MB, and a batch at most 50,000 items; the service answers a larger request
 * with a 413. A request's headers must arrive within 10 s, and the whole request within 30 s.
 */
export interface LocalService extends AsyncDisposable {
  /** The base address of the service, such as `http://127.0.0.1:49152`. */
  readonly url: string;
  /** The number of HTTP requests that the service has received so far. */
  readonly requests: number;
  /**
   * Overrides the value of a flag, whatever the flag's rules say. The next evaluation and the next snapshot already
   * have the new value. If you set a value for one entity and another one for all entities, the entity gets its own
   * value. The value stays until you or a request over HTTP set another value, until a request over HTTP removes it, or
   * until you call {@link LocalService.reset}. The value stays even if the flag itself changes, but has no effect while
   * the flag cannot give it. The service does not save the value in a file. For a boolean flag, the value is `true` or
   * `false`. For a variant flag, the value is the key of a variant. The value of a variant flag can also be a number,
   * boolean or object, if one of the flag's variants has a key or an attachment of the same type. If the value, the
   * flag, the namespace or an option is wrong, `set` throws a TypeError that says what is possible.
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
  /** Removes all overrides, whether they were set with {@link LocalService.set} or with requests over HTTP. */
  reset(): void;
  /**
   * Changes `enabled` of the flag itself, as a change in Flipt's user interface does. The service saves this change in
   * the data file, if there is one, and {@link LocalService.reset} does not undo it. Once the promise has resolved,
   * evaluation uses the new state, unless the flag's value is overridden. A boolean flag gives the value of `enabled`
   * only if none of its rollouts applies, so `enabled: false` does not switch off a boolean flag with rollouts, as in
   * Flipt. To give a flag a value in a test, use {@link LocalService.set}. `setFlag` rejects with a TypeError if
   * `state` is wrong, and with an Error if there is no such flag or if the data file cannot be written within 10 s.
   */
  setFlag(namespace: string, key: string, state: { readonly enabled: boolean }): Promise<void>;
  /**
   * Replaces the features of all namespaces. The tokens stay, and the values that were set with {@link
   * LocalService.set} stay, too. If the new features are wrong, `load` rejects with a {@link FeaturesError}, and the
   * service keeps the old features. If the data file cannot be written, or if reading or writing files takes more than
   * 10 s, `load` rejects with an Error.
   */
  load(features: FeaturesSource): Promise<void>;
  /**
   * Stops accepting requests, ends all streams, waits up to 1.5 s for the other requests that are in flight, and ends
   * all connections, within 2 s in all. You can call `close` more than once.
   */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Starts a service in this process that answers as Flipt does, for development, tests and demonstrations.
 * `startLocalService` rejects with a TypeError if an option is wrong, with a {@link FeaturesError} if the features are
 * wrong, and with a {@link DataFileError} if the data file cannot be used. `startLocalService` rejects with Node's
 * error (such as code `EADDRINUSE`) if the port is not free, and with an Error if reading or writing files takes more
 * than 10 s.
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

/**
 * Starts an embedded service. If the option `strict` is `false`, and Flipt would refuse something in a features file or
 * in a text with features, the function calls `warn` with a message.
 */
export async function openLocalService(
  options: LocalServiceOptions,
  warn: (refused: string) => void,
): Promise<LocalService> {
  checkOptions(LOCAL_OPTIONS, options);
  const { semantics = DEFAULT_SEMANTICS, bootstrapToken, strict = false } = options;
  const { port = 0, host = '127.0.0.1', allowHosts = [] } = options;
  const reading: Reading = { semantics, strict, warn };
  const store = await fromFiles(openStore(options, reading));
  const service = serviceCore(store, semantics, STAMP);
  const authenticate = bootstrapToken === undefined ? withoutAuthentication : withTokens(bootstrapToken);
  const handler = createHandler(service, authenticate, [host, ...allowHosts], MAX_BODY_BYTES);
  const listener = await listen(handler, { ...TIMEOUTS, port, host });
  const close = async (): Promise<void> => {
    const ended = listener.close().then(() => store.settled());
    await orLate(ended, CLOSE_MS, systemClock);
  };
  return {
    url: listener.url,
    get requests() {
      return listener.requests;
    },
    set(key, value, options = {}) {
      checkOptions(OVERRIDE_OPTIONS, options);
      const { namespace: namespaceKey = 'default', for: entity } = options;
      const problem = service.overrides.set({ namespaceKey, flagKey: key, entity }, value);
      if (problem !== undefined) throw new TypeError(`set: ${problem.message}`);
    },
    reset() {
      service.overrides.reset();
    },
    async setFlag(namespaceKey, key, given) {
      checkOptions(FLAG_STATE, given);
      const { enabled } = given;
      const change = store.change((state) => {
        const namespace = state.namespaces.get(namespaceKey);
        const flag = namespace?.flags.get(key);
        if (!namespace || !flag) throw new Error(`flag ${quoted(`${namespaceKey}/${key}`)} not found`);
        const changed = { ...flag, enabled, updatedAt: nowText(STAMP) };
        return { state: withFlag(state, namespace, changed, STAMP), result: undefined };
      });
      await fromFiles(change);
    },
    async load(features) {
      const loaded = readLoaded(features, reading).then(async ({ namespaces, refused }) => {
        await store.change((state) => ({
          state: { ...withNamespaces(state, namespaces, STAMP), refused },
          result: undefined,
        }));
      });
      await fromFiles(loaded);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const STAMP: Stamp = { date: Date.now, id: randomUUID };
/**
 * The longest time in milliseconds that the service waits for reading and writing files. There is a limit, because a
 * network file system can hang.
 */
const FILES_MS = 10_000;

async function fromFiles<T>(done: Promise<T>): Promise<T> {
  const late = () => new Error(`a file was not read or written within ${FILES_MS} ms`);
  return inTime(done, FILES_MS, systemClock, late);
}

/**
 * How the service reads features. The service reads features by the rules of the version of Flipt that `semantics`
 * names. If `strict` is `true`, the service rejects features that Flipt would refuse. If `strict` is `false`, the
 * service only calls `warn` with a message that says what Flipt would refuse in a file or a text.
 */
interface Reading {
  readonly semantics: Semantics;
  readonly strict: boolean;
  readonly warn: (refused: string) => void;
}

/**
 * Reads features, and finds what Flipt would refuse in a file or a text. `readLoaded` rejects with a
 * {@link FeaturesError} if the features are wrong. If `strict` is `true`, `readLoaded` also rejects if Flipt would
 * refuse the features.
 */
async function readLoaded(features: FeaturesSource, { semantics, strict, warn }: Reading) {
  const read = await readDocuments(features, semantics);
  const namespaces = namespacesOf(read, semantics, STAMP);
  if (strict) throwIfRefused(read, semantics);
  // There is no warning about features that were given as objects, because they usually come from a test, and Flipt
  // never reads them.
  const refused = strict || !isWritten(features) ? undefined : refusalSummary(read, semantics);
  if (refused !== undefined) warn(refused);
  return { namespaces, refused };
}

async function openStore({ features, data }: LocalServiceOptions, reading: Reading): Promise<Store> {
  const file = data === undefined ? undefined : await openDataFile(data);
  if (file?.state) return new Store(file.state, file.save);
  if (features === undefined) {
    if (data === undefined) {
      throw new TypeError('startLocalService: features: missing; expected a path, YAML text or documents');
    }
    throw new DataFileError(`${data}: does not exist yet, so features are needed to start with`);
  }
  const state: State = { ...(await readLoaded(features, reading)), tokens: new Map() };
  // The service saves its first state in a new data file before the first request, so that rules, variants and
  // constraints have the same ids after a restart of the service.
  await file?.save(state).catch((error: unknown) => {
    const cause = (error instanceof Error && error.cause) || error;
    throw new DataFileError(`${String(data)}: cannot be written: ${messageOf(cause)}`, { cause });
  });
  return new Store(state, file?.save);
}
