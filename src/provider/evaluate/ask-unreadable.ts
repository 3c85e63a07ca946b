import type { GivenContext } from '../../cache/same-question.js';
import { failedResolution, type Resolution } from '../../model/answer.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import type { RequestView } from '../../request/view.js';
import type { Resolve } from '../resolve-remotely.js';
import type { Failure } from '../../model/failure.js';
import { quoted } from '../../text/describe.js';

/** The failure of a flag that the snapshot holds and that Flipt does not answer. `why`: what is wrong or to be done. */
export function unreadableFailure(flag: string, { reason }: UnreadableFlag, why: string): Failure {
  return {
    kind: 'unreadable-flag',
    message: `this version of the package cannot read the flag ${quoted(flag)} (${reason}); ${why}`,
  };
}

/** Asks for flags that cannot be evaluated here. `undefined`: nothing may be sent. Never throws or rejects. */
export function unreadableResolver(ask: Resolve | undefined) {
  return (
    flag: string,
    unreadable: UnreadableFlag,
    context: GivenContext,
    view: RequestView | undefined,
  ): ReturnType<Resolve> => {
    if (ask === undefined) return failedResolution(unreadableFailure(flag, unreadable, OFFLINE));
    const asked = ask(flag, context, view);
    /** All of the context is sent, also what no other flag reads. If it cannot be sent, that concerns this flag alone. */
    const own = (resolution: Resolution): Resolution => {
      const { answer } = resolution;
      if (answer.kind !== 'failed' || answer.failure.kind !== 'context') return resolution;
      const why = `Flipt cannot be asked: ${answer.failure.message}`;
      return failedResolution(unreadableFailure(flag, unreadable, why));
    };
    return asked instanceof Promise ? asked.then(own) : own(asked);
  };
}

const OFFLINE = 'Flipt is not asked (watch: false)';
