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

/** The version of the file; `undefined` if the file cannot be found. Whoever reads it then reports why. */
export const versionOf = (path: string): Promise<Version> => fingerprint(path).catch(() => undefined);

/** The parts of the running service that a reload needs. */
interface Edits {
  readonly look: () => Promise<Version>;
  /** The version that was loaded at the start. */
  readonly atFirst: Version;
  /** The data file from which the features come instead; `undefined` if there is none. */
  readonly data: string | undefined;
  readonly load: (path: string) => Promise<void>;
  readonly warn: (path: string) => Promise<void>;
}

/**
 * Loads the features file again whenever somebody edits it. A file that is wrong changes nothing. Returns a function
 * that ends the watch.
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
      // What Flipt refuses is said in whole sentences.
      const kept = message.endsWith('.') ? ' The service' : '; the service';
      complain(`${message}${message.includes('\n') ? '\nThe service' : kept} keeps the old features`);
    }
  };
  return watchFile(look, atFirst, edited, clock);
}

/**
 * Calls `changed` when the version that `look` finds differs from the one `atFirst`. The watch looks four times a
 * second, and waits until two looks in a row find the same version, because an editor may save in several steps, and
 * half a file may look like a whole one. Unlike the file system's own notifications, this works with every editor and
 * every disk. Returns a function that ends the watch.
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

/** Makes a function that warns of probable mistakes in a features file. The function gives each warning only once. */
export function warnerOfMistakes(semantics: Semantics, complain: CommandRuntime['complain']) {
  const said = new Set<string>();
  return async (path: string): Promise<void> => {
    const settings = await settingsFor(path).catch((error: unknown) => {
      complain(messageOf(error));
      return NO_SETTINGS;
    });
    // The file could be read a moment ago. If the file cannot be read now, its next reload says so.
    const findings = await lintFile(path, semantics, settings).catch(() => []);
    for (const finding of findings) {
      const { rule, level, problem } = finding;
      if (level === 'info') continue;
      if (!said.has(rule + problem)) complain(`Warning: ${findingText(finding)}`);
      said.add(rule + problem);
    }
  };
}
