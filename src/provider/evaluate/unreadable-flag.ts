import { failedResolution, type Resolution, type UnreadableFlag } from '../../model/answer.js';
import type { Resolve } from './resolve-remotely.js';
import type { Failure } from '../../model/failure.js';
import { quoted } from '../../base/text/describe.js';

/**
 * Returns the failure for a flag of the snapshot that this version of the package cannot read, and for which Flipt has
 * given no answer. `why` says why Flipt has given no answer.
 */
export function unreadableFailure(flag: string, { reason }: UnreadableFlag, why: string): Failure {
  return {
    kind: 'unreadable-flag',
    message: `this version of the package cannot read the flag ${quoted(flag)} (${reason}); ${why}`,
  };
}

/**
 * Asks Flipt for a flag that cannot be evaluated in this process. If the options forbid requests, `ask` is `undefined`,
 * and the function returns a failure. `askUnreadable` never throws, and its promise never rejects.
 */
export function askUnreadable(
  ask: Resolve | undefined,
  unreadable: UnreadableFlag,
  ...question: Parameters<Resolve>
): Resolution | Promise<Resolution> {
  const [flag] = question;
  if (ask === undefined) return failedResolution(unreadableFailure(flag, unreadable, OFFLINE));
  /**
   * Turns a failure about the context into a failure of this flag alone. An evaluation in this process reads only the
   * attributes that the flag compares, but a request to Flipt contains all attributes of the context that the options
   * allow. Other flags can have a value although the request for this flag fails.
   */
  const own = (resolution: Resolution): Resolution => {
    const { answer } = resolution;
    if (answer.kind !== 'failed' || answer.failure.kind !== 'context') return resolution;
    const why = `the provider cannot ask Flipt: ${answer.failure.message}`;
    return failedResolution(unreadableFailure(flag, unreadable, why));
  };
  const asked = ask(...question);
  return asked instanceof Promise ? asked.then(own) : own(asked);
}

const OFFLINE = 'the provider does not ask Flipt (watch: false)';
