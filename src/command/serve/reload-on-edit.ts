import type { Semantics } from '../../engine/features.js';
import type { Clock } from '../../base/time/clock.js';
import { fingerprint, type Fingerprint } from '../../base/files/fingerprint.js';
import { messageOf } from '../../base/text/describe.js';
import { findingText, lintFile } from '../../features/lint/lint.js';
import { NO_SETTINGS } from '../../features/lint/lint-rules.js';
import type { CommandRuntime } from '../command.js';
import { settingsFor } from '../lint-settings.js';

const INTERVAL_MS = 250;

type Version = Fingerprint | undefined;

/**
 * Resolves with the version of the file, or with `undefined` if the file is missing or inaccessible. The code that
 * reads the file later reports why the file cannot be read.
 */
export const versionOf = (path: string): Promise<Version> => fingerprint(path).catch(() => undefined);

/** The parts of the running service that a reload needs. */
interface Edits {
  readonly look: () => Promise<Version>;
  /** The version of the features file at the start of the service. */
  readonly atFirst: Version;
  /**
   * The path of the data file, or `undefined` without a data file. With a data file, edits of the features file have no
   * effect.
   */
  readonly data: string | undefined;
  readonly load: (path: string) => Promise<void>;
  readonly warn: (path: string) => Promise<void>;
}

/**
 * Loads the features file again whenever somebody edits the file, unless the service has a data file. If the edited
 * file is wrong, the service keeps the old features. Returns a function that stops the reloads.
 */
export function reloadOnEdit(
  path: string,
  { look, atFirst, data, load, warn }: Edits,
  { print, complain, clock }: CommandRuntime,
): () => void {
  const edited = async (): Promise<void> => {
    if (data !== undefined) {
      complain(`The edited ${path} is ignored, because the features come from ${data}`);
      return;
    }
    try {
      await load(path);
      print(`Reloaded ${path}`);
      await warn(path);
    } catch (error) {
      const message = messageOf(error);
      // Only messages about what Flipt refuses end with a full stop, because only these messages consist of whole
      // sentences.
      const kept = message.endsWith('.') ? ' The service' : '; the service';
      complain(`${message}${message.includes('\n') ? '\nThe service' : kept} keeps the old features`);
    }
  };
  return watchFile(look, atFirst, edited, clock);
}

/**
 * Calls `changed` whenever the version of a file has changed; `atFirst` is the version at the start. The function calls
 * `look` four times a second to get the version. The function calls `changed` only when `look` has returned the same
 * new version twice in a row, because an editor can save a file in several steps, and half a file can look like a whole
 * file. Unlike notifications of the file system, these calls of `look` do not depend on how an editor saves the file,
 * or on the kind of the disk. Returns a function that stops the calls of `look`.
 */
export function watchFile(
  look: () => Promise<Version>,
  atFirst: Version,
  changed: () => Promise<void>,
  clock: Clock,
): () => void {
  let before = atFirst;
  let reported = atFirst;
  let cancel: () => void;
  let ended = false;

  const check = async (): Promise<void> => {
    const now = await look();
    if (ended) return;
    if (now === before && now !== reported) {
      reported = now;
      await changed();
    }
    before = now;
    again();
  };
  const again = (): void => {
    if (!ended) cancel = clock.after(INTERVAL_MS, () => void check(), 'background');
  };

  again();
  return () => {
    ended = true;
    cancel();
  };
}

/**
 * Returns a function that warns of probable mistakes in a features file. The returned function prints each warning only
 * once.
 */
export function warnerOfMistakes(semantics: Semantics, complain: CommandRuntime['complain']) {
  const said = new Set<string>();
  return async (path: string): Promise<void> => {
    const settings = await settingsFor(path).catch((error: unknown) => {
      complain(messageOf(error));
      return NO_SETTINGS;
    });
    // A failure to read the file is ignored here, because the service has just read the file. If the file still cannot
    // be read at the next reload, the reload reports the failure.
    const findings = await lintFile(path, semantics, settings).catch(() => []);
    for (const finding of findings) {
      const { rule, level, problem } = finding;
      if (level === 'info') continue;
      if (!said.has(rule + problem)) complain(`Warning: ${findingText(finding)}`);
      said.add(rule + problem);
    }
  };
}
