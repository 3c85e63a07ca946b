import type { FlagWatch } from '../cache/cached.js';
import { NO_RELIANCE } from '../cache/freshness.js';
import type { Reporter } from '../diagnostics/diagnostics.js';
import type { openWatching, Watching } from '../snapshot/watching.js';
import { messageOf } from '../text/describe.js';

/** A watch whose code is loaded when it starts: who imports the package does not pay for the engine. */
export interface LateWatch extends FlagWatch {
  readonly start: () => void;
  /** Polls without waiting for the interval. */
  readonly poll: () => void;
  readonly close: () => void;
}

interface WatchingCode {
  readonly openWatching: typeof openWatching;
}

/** Nothing is confirmed until the code is there. */
export function lateWatch<Options extends { readonly maxAgeMs: number }>(
  options: Options,
  { report }: Pick<Reporter, 'report'>,
  open: (code: WatchingCode, options: Options) => Watching,
): LateWatch {
  let watching: Watching | undefined;
  let isClosed = false;

  const load = async () => {
    try {
      const code = await import('../snapshot/watching.js');
      if (!isClosed) watching ??= open(code, options);
    } catch (error) {
      const message = `the code of the watch cannot be loaded: ${messageOf(error)}`;
      report({ type: 'watch-changed', state: 'not-offered', failure: { kind: 'defect', message } });
    }
  };

  return {
    confirms: (question, answer) => watching?.confirms(question, answer) ?? false,
    reliance: () =>
      watching === undefined ? NO_RELIANCE : { lostForMs: watching.lostForMs(), maxAgeMs: options.maxAgeMs },
    start() {
      void load();
    },
    poll() {
      void watching?.poll();
    },
    close() {
      isClosed = true;
      watching?.close();
    },
  };
}
