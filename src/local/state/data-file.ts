import { open } from 'node:fs/promises';
import { NotSyncedError, removeLeftovers, replaceFile, targetOf } from '../../files/durable-file.js';
import { fingerprint, type Fingerprint, unlessMissing } from '../../files/fingerprint.js';
import { messageOf } from '../../text/describe.js';
import { unsteered } from '../../text/quote.js';
import { readState, writeState } from './data-format.js';
import type { State } from './records.js';
import { SaveError } from './save-error.js';
import type { Save } from './state-store.js';

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

export interface DataFile {
  /** The file's content; `undefined` if there is no such file yet. */
  readonly state: State | undefined;
  /** Replaces the content in one step. After it resolves, the new state survives a power failure. */
  readonly save: Save;
}

/** Opens a data file, which need not exist yet. Throws a {@link DataFileError}. */
export async function openDataFile(given: string): Promise<DataFile> {
  try {
    const path = await targetOf(given);
    await removeLeftovers(path);
    const { state, version } = await read(path);
    return { state, save: saver(path, version) };
  } catch (error) {
    if (error instanceof DataFileError) throw error;
    throw new DataFileError(`${given}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function read(path: string): Promise<{ state: State | undefined; version: Fingerprint | undefined }> {
  const file = await open(path, 'r').catch(unlessMissing);
  if (!file) return { state: undefined, version: undefined };
  try {
    const version = await fingerprint(file);
    const state = readState(await file.readFile('utf8'));
    if ('wrong' in state) throw new DataFileError(`${path}: ${state.wrong}; it is left as it is`);
    return { state, version };
  } finally {
    await file.close();
  }
}

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
