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

/** `undefined` if the file cannot be looked at; reading it then reports why. */
export const versionOf = (path: string): Promise<Version> => fingerprint(path).catch(() => undefined);

/** What a reload needs of the running service. */
interface Edits {
  readonly look: () => Promise<Version>;
  /** The version that was loaded at the start. */
  readonly atFirst: Version;
  /** The file that the features come from instead; `undefined` without one. */
  readonly data: string | undefined;
  readonly load: (path: string) => Promise<void>;
  readonly warn: (path: string) => Promise<void>;
}

/** Loads the features file again whenever it is edited. A file that is wrong changes nothing. Returns what ends it. */
export function reloadOnEdit(
  path: string,
  { look, atFirst, data, load, warn }: Edits,
  { print, complain, clock }: CommandRuntime,
): () => void {
  const edited = async (): Promise<void> => {
    if (data !== undefined) {
      complain(`Ignored the edited ${path}: the features come from ${data}`);
      return;
    }
    try {
      await load(path);
      print(`Reloaded ${path}`);
      await warn(path);
    } catch (error) {
      const message = messageOf(error);
      complain(`${message}${message.includes('\n') ? '\n' : '; '}the old features stay`);
    }
  };
  return watchFile(look, atFirst, edited, clock);
}

/**
 * Calls `changed` when the version that `look` finds differs from the one `atFirst`. It looks four times a second, and
 * waits until two looks find the same version: an editor may write in several steps, and half a file may look like a
 * whole one. Unlike a watch of the file system, this sees every way of saving, on every disk. Returns a function that
 * stops it.
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

/** Warns of what is probably a mistake in a features file. What was said once is not repeated. */
export function warnerOfMistakes(semantics: Semantics, complain: CommandRuntime['complain']) {
  const said = new Set<string>();
  return async (path: string): Promise<void> => {
    const settings = await settingsFor(path).catch((error: unknown) => {
      complain(messageOf(error));
      return NO_SETTINGS;
    });
    // The file was read a moment ago. If it is wrong now, its reload says so.
    const findings = await lintFile(path, semantics, settings).catch(() => []);
    for (const finding of findings) {
      const { rule, level, problem } = finding;
      if (level === 'info') continue;
      if (!said.has(rule + problem)) complain(`Warning: ${findingText(finding)}`);
      said.add(rule + problem);
    }
  };
}
