import { failedResolution, type Resolution, type UnreadableFlag } from '../../model/answer.js';
import type { Resolve } from './resolve-remotely.js';
import type { Failure } from '../../model/failure.js';
import { quoted } from '../../base/text/describe.js';

/** The failure of a flag that the snapshot holds and that Flipt does not answer. `why`: what is wrong or to be done. */
export function unreadableFailure(flag: string, { reason }: UnreadableFlag, why: string): Failure {
  return {
    kind: 'unreadable-flag',
    message: `this version of the package cannot read the flag ${quoted(flag)} (${reason}); ${why}`,
  };
}

/** Asks for a flag that cannot be evaluated here. `ask` is `undefined`: nothing may be sent. Never throws or rejects. */
export function askUnreadable(
  ask: Resolve | undefined,
  unreadable: UnreadableFlag,
  ...question: Parameters<Resolve>
): Resolution | Promise<Resolution> {
  const [flag] = question;
  if (ask === undefined) return failedResolution(unreadableFailure(flag, unreadable, OFFLINE));
  /** All of the context is sent, also what no other flag reads. If it cannot be sent, that concerns this flag alone. */
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
