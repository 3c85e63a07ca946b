import type { Clock } from '../clock.js';
import { compileFeatures } from '../engine/compiled-features.js';
import type { SnapshotOptions } from '../options/snapshot-options.js';
import { fileStore } from '../stores/file-store.js';
import { keeper, type StoreReading } from '../stores/keeper.js';
import { readKept, writeKept, type Origin } from '../stores/kept-text.js';
import { messageOf } from '../text/describe.js';
import { parseSnapshot, type ParsedBody } from './body/parse.js';
import { bodyText } from './body/write-body.js';
import { digestOf } from './contents.js';
import type { Known } from './fetch.js';
import { initialBody } from './initial.js';
import type { StartingSnapshot } from './watch.js';

/** Keeps the newest snapshot across restarts, as far as the options say. */
export interface KeptSnapshots {
  /** What was kept, else the initial one, else `undefined`. Never rejects. */
  readonly load: (withinMs: number, closing: AbortSignal) => Promise<StartingSnapshot | undefined>;
  /** Keeps the snapshot in force, which the service has just confirmed. */
  readonly confirmed: (known: Known) => void;
  /** How the store does; `undefined` if there is none. */
  readonly store: () => StoreReading | undefined;
  /** Completes what is still to be saved. Never rejects. */
  readonly close: () => Promise<void>;
}

/** A snapshot of the service's, and when it was confirmed last, in the clock's milliseconds. */
interface ConfirmedSnapshot extends Known {
  readonly confirmedAt: number;
}

/** The date that is kept may be so much older than the last confirmation, while nothing changes. */
const CONFIRMATION_KEPT_EVERY_MS = 300_000;

export function keptSnapshots(
  options: SnapshotOptions,
  origin: Origin,
  warn: (message: string) => void,
  clock: Clock,
): KeptSnapshots {
  const { namespace } = origin;
  const store = options.store ?? (options.file === undefined ? undefined : fileStore(options.file));
  const file = options.file === undefined ? undefined : `snapshot.file ${options.file}`;
  const kept = store && keeper(store, file ?? 'the store', warn, clock);
  const place = file ?? 'the kept snapshot';
  let newest: ConfirmedSnapshot | undefined;
  /** What the store holds, or will soon. */
  let inStore: { readonly version: string; readonly confirmedAt: number } | undefined;

  const fromStore = async (withinMs: number, closing: AbortSignal): Promise<StartingSnapshot | undefined> => {
    const text = await kept?.load(withinMs, closing);
    if (text === undefined) return undefined;
    const read = readKept(text, origin);
    if ('wrong' in read) {
      warn(`${place} is not used: ${read.wrong}`);
      return undefined;
    }
    const { body, etag, version, confirmedAt } = read;
    const parsed = await parse(Buffer.from(body), place);
    if (parsed === undefined) return undefined;
    // Kept times may lie ahead of this machine's date.
    const ageMs = Math.max(0, clock.date() - confirmedAt);
    const at = clock.now() - ageMs;
    inStore = { version, confirmedAt: at };
    return { ...known(parsed, version), etag, confirmedAt: at };
  };

  const fromOptions = async (): Promise<StartingSnapshot | undefined> => {
    if (options.initial === undefined) return undefined;
    try {
      const body = await initialBody(options.initial, namespace, options.semantics ?? 'v1');
      const parsed = await parse(Buffer.from(JSON.stringify(body)), 'snapshot.initial');
      return parsed && { ...known(parsed), etag: undefined, confirmedAt: undefined };
    } catch (error) {
      warn(`snapshot.initial is not used: ${messageOf(error)}`);
      return undefined;
    }
  };

  const textOf = async ({ snapshot, etag, confirmedAt }: ConfirmedSnapshot): Promise<string> => {
    const { version } = snapshot;
    inStore = { version, confirmedAt };
    const date = clock.date() - (clock.now() - confirmedAt);
    const body = await bodyText(namespace, snapshot, clock);
    return writeKept({ body, version, etag, confirmedAt: date }, origin);
  };

  const parse = async (body: Buffer, from: string): Promise<ParsedBody | undefined> => {
    try {
      return await parseSnapshot(body, namespace, clock);
    } catch (error) {
      warn(`${from} is not used: ${messageOf(error)}`);
      return undefined;
    }
  };

  return {
    load: async (withinMs, closing) => (await fromStore(withinMs, closing)) ?? fromOptions(),
    confirmed(known) {
      const confirmedAt = clock.now();
      const confirmed = { ...known, confirmedAt };
      newest = confirmed;
      const isKept =
        inStore?.version === known.snapshot.version &&
        confirmedAt - inStore.confirmedAt < CONFIRMATION_KEPT_EVERY_MS;
      if (!isKept) kept?.save(() => textOf(confirmed));
    },
    async close() {
      const last = newest;
      if (last !== undefined && last.confirmedAt !== inStore?.confirmedAt) kept?.save(() => textOf(last));
      await kept?.close();
    },
    store: () => kept?.read(),
  };
}

function known(
  parsed: ParsedBody,
  version = parsed.digest ?? digestOf(parsed.contents),
): Pick<Known, 'snapshot'> {
  return {
    snapshot: { ...parsed, compiled: compileFeatures(parsed.features, parsed.semantics), version },
  };
}
