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
 * A running service. `await using` closes it, within 2 s. A body may have 16 MB, and a batch 50,000 items; more is
 * answered with 413. A request's headers must arrive within 10 s, and the whole request within 30 s.
 */
export interface LocalService extends AsyncDisposable {
  /** The base address of the service, such as `http://127.0.0.1:49152`. */
  readonly url: string;
  /** The number of HTTP requests so far. */
  readonly requests: number;
  /**
   * Makes a flag resolve to a value, whatever its rules say. The next evaluation sees it, and so does the next
   * snapshot. A value for one entity overrides a value for all. The value stays until {@link LocalService.reset}, even
   * if the flag itself changes, and it is not saved in a file. For a boolean flag, the value is `true` or `false`. For
   * a variant flag, it is the key of a variant. The value of a variant flag may also be any number, boolean or object,
   * if one of the variants has a key or an attachment of that type. Throws a TypeError that says what is possible if
   * the value, the flag, the namespace or an option is wrong.
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
  /** Removes all values that {@link LocalService.set} has set, and those that were set over HTTP. */
  reset(): void;
  /**
   * Changes `enabled` of the flag itself, as Flipt's interface would: the change is kept in the data file, and
   * {@link LocalService.reset} does not undo it. The next evaluation sees it. A boolean flag has this value only if none of
   * its rollouts applies, so `enabled: false` does not switch off a flag with rollouts (Flipt's rule). To give a flag a
   * value in a test, use {@link LocalService.set}. Rejects with a TypeError if `state` is wrong, and with an Error if there
   * is no such flag or the data file cannot be written within 10 s.
   */
  setFlag(namespace: string, key: string, state: { readonly enabled: boolean }): Promise<void>;
  /**
   * Replaces the features of all namespaces. Tokens stay, and so do the values of {@link LocalService.set}. Rejects
   * with a {@link FeaturesError} if the new features are wrong, and with an Error if files take more than 10 s. The
   * service then keeps the old features.
   */
  load(features: FeaturesSource): Promise<void>;
  /**
   * Accepts no more requests, finishes those in flight, and ends all connections, within 2 s. You may call it again.
   */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Starts a service in this process that answers as Flipt does, for development, tests and demonstrations. Rejects with
 * a TypeError if an option is wrong, with a {@link FeaturesError} or {@link DataFileError} if a file is wrong, with
 * Node's error (such as code `EADDRINUSE`) if the port is not free, and with an Error if files take more than 10 s.
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

/** Starts a service. `warn` gets what Flipt would refuse in features from a file or a text. */
export async function openLocalService(
  options: LocalServiceOptions,
  warn: (refused: string) => void,
): Promise<LocalService> {
  checkOptions(LOCAL_OPTIONS, options);
  const { semantics = DEFAULT_SEMANTICS, bootstrapToken, strict = false } = options;
  const { port = 0, host = '127.0.0.1', allowHosts = [] } = options;
  const reading: Reading = { semantics, strict, warn };
  const { store, refused } = await fromFiles(openStore(options, reading));
  const service = serviceCore(store, semantics, STAMP, refused);
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
        service.loaded.refused = refused;
        await store.change((state) => ({
          state: withNamespaces(state, namespaces, STAMP),
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
/** How long files may take. A network's file system may hang. */
const FILES_MS = 10_000;

async function fromFiles<T>(done: Promise<T>): Promise<T> {
  const late = () => new Error(`a file was not read or written within ${FILES_MS} ms`);
  return inTime(done, FILES_MS, systemClock, late);
}

/**
 * How features are read: by whose rules, whether what Flipt refuses is an error, and who gets the warning otherwise.
 */
interface Reading {
  readonly semantics: Semantics;
  readonly strict: boolean;
  readonly warn: (refused: string) => void;
}

/**
 * Reads features, and what Flipt would refuse in them. Rejects with a {@link FeaturesError} if they are wrong, and in a
 * strict reading also if Flipt would refuse them.
 */
async function readLoaded(features: FeaturesSource, { semantics, strict, warn }: Reading) {
  const read = await readDocuments(features, semantics);
  const namespaces = namespacesOf(read, semantics, STAMP);
  if (strict) throwIfRefused(read, semantics);
  // Flipt will never read objects that a test has made, so nobody needs to be warned of those.
  const refused = strict || !isWritten(features) ? undefined : refusalSummary(read, semantics);
  if (refused !== undefined) warn(refused);
  return { namespaces, refused };
}

async function openStore({ features, data }: LocalServiceOptions, reading: Reading) {
  const file = data === undefined ? undefined : await openDataFile(data);
  if (file?.state) return { store: new Store(file.state, file.save), refused: undefined };
  if (features === undefined) {
    if (data === undefined) {
      throw new TypeError('startLocalService: features: missing; expected a path, YAML text or documents');
    }
    throw new DataFileError(`${data}: does not exist yet, so features are needed to start with`);
  }
  const { namespaces, refused } = await readLoaded(features, reading);
  const state: State = { namespaces, tokens: new Map() };
  // The state is saved before the first request, because the ids that are given out now must be the same after a
  // restart.
  await file?.save(state).catch((error: unknown) => {
    const cause = (error instanceof Error && error.cause) || error;
    throw new DataFileError(`${String(data)}: cannot be written: ${messageOf(cause)}`, { cause });
  });
  return { store: new Store(state, file?.save), refused };
}
