import type { Failure } from '../../model/failure.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import { quoted } from '../../text/describe.js';

/** The failure of a flag that the snapshot holds and that Flipt does not answer. `why`: what is wrong or to be done. */
export function unreadableFailure(flag: string, { reason }: UnreadableFlag, why: string): Failure {
  return {
    kind: 'unreadable-flag',
    message: `this version of the package cannot read the flag ${quoted(flag)} (${reason}); ${why}`,
  };
}
