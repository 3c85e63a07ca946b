import {
  NotSyncedError,
  readIfThere,
  removeLeftovers,
  replaceFile,
  targetOf,
} from '../../files/durable-file.js';
import { fingerprint, type Fingerprint } from '../../files/fingerprint.js';
import { NotReplacedError, replaceableBeginning } from '../../files/own-file.js';
import { messageOf, unsteered } from '../../text/describe.js';
import { beginsAsState, readState, writeState } from './data-format.js';
import { SaveError, type Save } from './state-store.js';

/** A data file that cannot be used; it is not changed. The message names the file and what is wrong. */
export class DataFileError extends Error {
  /** The error's name where it is printed. */
  override readonly name = 'DataFileError';
  /** Identifies this error in both builds of the package, ES module and CommonJS. */
  readonly code = 'ERR_DATA_FILE';

  /** Characters that would steer a terminal are escaped. */
  constructor(message: string, options?: ErrorOptions) {
    super(unsteered(message), options);
  }
}

/**
 * Opens a data file: its content, `undefined` if the file is missing or empty, and what replaces it in one step. Throws a
 * {@link DataFileError}.
 */
export async function openDataFile(given: string) {
  try {
    const path = await targetOf(given);
    await removeLeftovers(path);
    // First: a change between this and the reading then counts as another process's.
    const version = await fingerprint(path);
    const beginning = await replaceableBeginning(path, beginsAsState);
    const state = beginning === '' ? undefined : readState((await readIfThere(path)) ?? '');
    // A damaged one may still be repaired: nobody but the user gives its data up.
    if (state && 'wrong' in state) throw new NotReplacedError(state.wrong);
    return { state, save: saver(path, version) };
  } catch (error) {
    const wrong = error instanceof NotReplacedError ? '' : 'cannot be read: ';
    throw new DataFileError(`${given}: ${wrong}${messageOf(error)}`, { cause: error });
  }
}

/** After a save resolves, the new state survives a power failure. */
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
