import { failedResolution, type Resolution, type UnreadableFlag } from '../../model/answer.js';
import type { Resolve } from './resolve-remotely.js';
import type { Failure } from '../../model/failure.js';
import { quoted } from '../../base/text/describe.js';

/**
 * Returns the failure of a flag that is in the snapshot, but that this version cannot read and for which Flipt gives no
 * answer. `why` says what is wrong or what to do.
 */
export function unreadableFailure(flag: string, { reason }: UnreadableFlag, why: string): Failure {
  return {
    kind: 'unreadable-flag',
    message: `this version of the package cannot read the flag ${quoted(flag)} (${reason}); ${why}`,
  };
}

/**
 * Asks Flipt for a flag that cannot be evaluated in this process. If `ask` is `undefined`, the provider must not send
 * anything, and the resolution holds the failure. The function never throws or rejects.
 */
export function askUnreadable(
  ask: Resolve | undefined,
  unreadable: UnreadableFlag,
  ...question: Parameters<Resolve>
): Resolution | Promise<Resolution> {
  const [flag] = question;
  if (ask === undefined) return failedResolution(unreadableFailure(flag, unreadable, OFFLINE));
  /**
   * Turns a failure of the context into a failure of this flag. Only a question to Flipt sends the whole context,
   * including attributes that no other flag reads. Therefore, a failure of the context concerns only this flag.
   */
  const own = (resolution: Resolution): Resolution => {
    const { answer } = resolution;
    if (answer.kind !== 'failed' || answer.failure.kind !== 'context') return resolution;
    const why = `Flipt cannot be asked: ${answer.failure.message}`;
    return failedResolution(unreadableFailure(flag, unreadable, why));
  };
  const asked = ask(...question);
  return asked instanceof Promise ? asked.then(own) : own(asked);
}

const OFFLINE = 'Flipt is not asked (watch: false)';
