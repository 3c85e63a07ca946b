import type { GivenContext } from '../../cache/known-questions.js';
import { failedResolution } from '../../model/resolution.js';
import type { UnreadableFlag } from '../../model/unreadable-flag.js';
import type { RequestView } from '../../request/view.js';
import { unreadableFailure } from '../mapping/unreadable-failure.js';
import type { Resolve } from '../resolve-remotely.js';

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
    if (asked instanceof Promise || asked.answer.kind !== 'failed') return asked;
    const { failure } = asked.answer;
    // All of the context is sent, also what no other flag reads. If it cannot be sent, that concerns this flag alone.
    return failure.kind === 'context'
      ? failedResolution(unreadableFailure(flag, unreadable, `Flipt cannot be asked: ${failure.message}`))
      : asked;
  };
}

const OFFLINE = 'Flipt is not asked (watch: false)';
