import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import type { Failure } from '../../model/failure.js';
import { failedResolution } from '../../model/resolution.js';
import { quoted } from '../../text/quote.js';
import type { SnapshotSource } from '../resolve-in-process.js';
import type { Resolve } from '../resolve-remotely.js';

/** Asks for flags that cannot be evaluated here. `undefined`: nothing may be sent. */
export function unreadableResolver(ask: Resolve | undefined): SnapshotSource['resolveUnreadable'] {
  return (flag, unreadable, context, view) => {
    if (ask === undefined) return failedResolution(unreadableFailure(flag, unreadable, OFFLINE));
    const asked = ask(flag, context, view);
    if (asked instanceof Promise || asked.answer.kind !== 'failed') return asked;
    const { failure } = asked.answer;
    // All of the context is sent, also what no other flag reads. If it cannot be sent, that concerns this flag alone.
    return failure.kind === 'context'
      ? failedResolution(unreadableFailure(flag, unreadable, `Flipt cannot be asked: ${failure.message}`))
      : asked;
  };
}

/** The failure of a flag that the snapshot holds and that Flipt does not answer. `why`: what is wrong or to be done. */
export function unreadableFailure(flag: string, { reason }: UnreadableFlag, why: string): Failure {
  return {
    kind: 'unreadable-flag',
    message: `this version of the package cannot read the flag ${quoted(flag)} (${reason}); ${why}`,
  };
}

const OFFLINE = 'Flipt is not asked (watch: false)';
