import {
  NotReplacedError,
  NotSyncedError,
  readIfThere,
  removeLeftovers,
  replaceableBeginning,
  replaceFile,
  targetOf,
} from '../../base/files/durable-file.js';
import { fingerprint, type Fingerprint } from '../../base/files/fingerprint.js';
import { messageOf, unsteered } from '../../base/text/describe.js';
import { SaveError, type Save } from './state-store.js';
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { parsedJson } from '../../base/text/json.js';
import type { NamespaceRecord } from '../../features/records.js';
import type { State, TokenRecord } from './state.js';

/**
 * The service throws this error if it cannot use a data file. The service never overwrites the content of a data file
 * that it cannot use. The error's message names the data file, and says what is wrong.
 */
export class DataFileError extends Error {
  /** Node prints this name before the error's message. */
  override readonly name = 'DataFileError';
  /**
   * Check this code instead of `instanceof`, which fails for an error from the other build of the package (ES module or
   * CommonJS).
   */
  readonly code = 'ERR_DATA_FILE';

  /** The constructor escapes those characters in the message that would control a terminal. */
  constructor(message: string, options?: ErrorOptions) {
    super(unsteered(message), options);
  }
}

/**
 * Opens a data file. `openDataFile` resolves with the state in the file, and with a function that replaces the content
 * of the file in one step. The state is `undefined` if the file is missing or empty. `openDataFile` rejects with a
 * {@link DataFileError} if the file cannot be used.
 */
export async function openDataFile(given: string) {
  try {
    const path = await targetOf(given);
    await removeLeftovers(path);
    // The service takes the file's fingerprint before it reads the file, so that the next save notices if another
    // process changes the file in between.
    const version = await fingerprint(path);
    const beginning = await replaceableBeginning(path, (text) => text.startsWith(BEGINNING));
    const state = beginning === '' ? undefined : readState((await readIfThere(path)) ?? '');
    // The service never overwrites a damaged file, because somebody might still be able to repair the file.
    if (state && 'wrong' in state) throw new NotReplacedError(state.wrong);
    return { state, save: saver(path, version) };
  } catch (error) {
    const wrong = error instanceof NotReplacedError ? '' : 'cannot be read: ';
    throw new DataFileError(`${given}: ${wrong}${messageOf(error)}`, { cause: error });
  }
}

/**
 * Returns a function that saves a state in the data file. When the promise of the returned function resolves, the saved
 * state survives a power failure.
 */
function saver(path: string, opened: Fingerprint | undefined): Save {
  let ours = opened;
  const checkUnchanged = async (): Promise<void> => {
    if ((await fingerprint(path)) === ours) return;
    throw new Error(`another process has changed ${path}, which is not overwritten; restart to use it`);
  };
  return async (state) => {
    try {
      ours = await replaceFile(path, writeState(state), checkUnchanged);
    } catch (error) {
      if (!(error instanceof NotSyncedError)) throw SaveError.notMade(error);
      ours = error.written;
      throw SaveError.unsure(error);
    }
  };
}

const FORMAT = 'openfeature-flipt-provider data';
const VERSION = 1;
/** Every data file that this service has written begins with this text, even if the rest of the file is damaged. */
const BEGINNING = `{"format":${JSON.stringify(FORMAT)}`;

/**
 * Returns the text of a data file for this state. The first line identifies the file as a data file and contains a
 * checksum; the second line contains the state.
 */
export function writeState({ namespaces, tokens }: State): string {
  const body = JSON.stringify({ namespaces, tokens }, (_name, value: unknown) =>
    value instanceof Map ? [...value.values()] : value,
  );
  return `${JSON.stringify({ format: FORMAT, version: VERSION, sha256: checksum(body) })}\n${body}\n`;
}

/** Returns the state in a data file's text, or a message that says why the text cannot be used. */
export function readState(text: string): State | { readonly wrong: string } {
  const [head = '', body = ''] = text.split('\n');
  const header = v.safeParse(headerSchema, parsedJson(head));
  if (!header.success) return { wrong: 'it is not a data file of this service' };
  const { version, sha256 } = header.output;
  if (version !== VERSION)
    return { wrong: `it has version ${version} of the format, this service reads version ${VERSION}` };
  if (sha256 !== checksum(body)) return { wrong: 'it is damaged: its checksum does not match its content' };
  // `stateSchema` checks only that the content has namespaces and tokens, because the matching checksum shows that this
  // service has written the content.
  const content = v.safeParse(stateSchema, parsedJson(body, mapped));
  return content.success
    ? content.output
    : { wrong: 'it does not have the content of a data file of this service' };
}

const headerSchema = v.object({ format: v.literal(FORMAT), version: v.number(), sha256: v.string() });
const stateSchema = v.object({
  namespaces: v.instance(Map<string, NamespaceRecord>),
  tokens: v.instance(Map<string, TokenRecord>),
});

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Maps the name of each list in a data file that becomes a map in the state to the name of the member by which its
 * items are found: the variants are found by their `id`.
 */
const MAPS: ReadonlyMap<string, string> = new Map(
  Object.entries({ namespaces: 'key', flags: 'key', segments: 'key', variants: 'id', tokens: 'id' }),
);

// This date is used for a flag that has no date in the data file. Only data files from before version 1.0.0 of this
// package have flags without dates.
const SINCE = '1970-01-01T00:00:00.000Z';
const UNDATED = { createdAt: SINCE, updatedAt: SINCE };

function mapped(name: string, value: unknown): unknown {
  const key = MAPS.get(name);
  if (key === undefined || !Array.isArray(value)) return value;
  const items = name === 'flags' ? value.map((flag: object) => ({ ...UNDATED, ...flag })) : value;
  return new Map(items.map((item: object) => [Reflect.get(item, key), item]));
}
